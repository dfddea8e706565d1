import LibC
import TurnoutCommands

exit(await Tool.run())
