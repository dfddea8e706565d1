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
for (const time of document.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime);
    if (isNaN(date)) continue;
    time.title = `${time.textContent} (UTC)`;
    time.textContent = date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
