// What pages do better with a script. Everything works without.

// "/" leads to the search field.
const search = document.querySelector("input[type=search]");
document.addEventListener("keydown", event => {
    const isTyping = event.target.closest("input, select, textarea");
    if (search === null || event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
    search.select();
});

// Times in the reader's own time zone, with the server's in the title.
function localizeTimes(parent) {
    for (const time of parent.querySelectorAll("time[datetime]:not([title])")) {
        const date = new Date(time.dateTime);
        if (isNaN(date)) continue;
        time.title = time.textContent;
        time.textContent = date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    }
}
localizeTimes(document);

// Live: rows are added as events arrive, until the reader pauses. The form says which; it is sent as a body, because
// user ids must not be in addresses.
const live = document.querySelector("form[data-stream]");
if (live !== null) {
    const rows = document.querySelector("#events tbody");
    const form = new URLSearchParams(new FormData(live));
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    const button = document.createElement("button");
    [button.type, button.className] = ["button", "quiet"];
    const bar = document.createElement("p");
    bar.className = "actions following";
    bar.append(button, status);
    live.after(bar);
    let reading = null;

    const show = message => {
        const lines = message.split("\n");
        const data = lines.filter(line => line.startsWith("data: ")).map(line => line.slice(6)).join("\n");
        if (lines.includes("event: all")) rows.replaceChildren();
        rows.insertAdjacentHTML("afterbegin", data);
        while (rows.rows.length > 200) rows.deleteRow(-1);
        localizeTimes(rows);
    };
    const read = async signal => {
        const response = await fetch(live.dataset.stream, { method: "POST", body: form, signal });
        if (response.status === 403) reading.abort();
        if (!response.ok) throw new Error(response.status === 403 ? "Sign in again, then reload." : "Trying again …");
        status.textContent = "New events appear by themselves.";
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
            const messages = (text + part.value).split("\n\n");
            text = messages.pop();
            messages.forEach(show);
        }
    };
    const follow = async () => {
        const { signal } = reading = new AbortController();
        button.textContent = "Pause";
        while (!signal.aborted) {
            await read(signal).catch(error => status.textContent = error.message);
            if (!signal.aborted) await new Promise(done => setTimeout(done, 3000));
        }
    };
    button.addEventListener("click", () => {
        if (reading.signal.aborted) return follow();
        reading.abort();
        [button.textContent, status.textContent] = ["Continue", "Paused."];
    });
    follow();
}
