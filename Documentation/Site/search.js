// Searches the sections of all pages: every word must occur; words in titles count more, and so do guides.
const script = document.currentScript;
const root = script.dataset.root;
const query = document.getElementById("query");
const results = document.getElementById("results");
let sections = null;
let chosen = -1;

// On narrow screens, the list of pages is closed at first.
if (matchMedia("(max-width: 50rem)").matches) document.querySelector("nav details").open = false;

async function load() {
    if (!sections) sections = fetch(`${root}/search.json`).then((response) => response.json());
    return sections;
}

function score(section, words) {
    const [title, page, text] = [section.title, section.page, section.text].map((part) => part.toLowerCase());
    let total = section.address.startsWith("Documentation/Guides/") ? 12 : 0;
    for (const word of words) {
        const count = Math.min(text.split(word).length - 1, 5);
        const points = (title.includes(word) ? 20 : 0) + (page.includes(word) ? 6 : 0) + count;
        if (!points) return 0;
        total += points;
    }
    return total;
}

function excerpt(text, words) {
    const place = Math.max(0, ...words.map((word) => text.toLowerCase().indexOf(word)));
    const start = Math.max(0, place - 50);
    return (start ? "… " : "") + text.slice(start, start + 140) + " …";
}

function entry(section, words) {
    const link = document.createElement("a");
    link.href = `${root}/${section.address}`;
    link.textContent = section.title === section.page ? section.page : `${section.page}: ${section.title}`;
    const text = document.createElement("small");
    text.textContent = excerpt(section.text, words);
    link.append(text);
    const item = document.createElement("li");
    item.append(link);
    return item;
}

async function search() {
    const words = query.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    const found = words.length
        ? (await load())
              .map((section) => [score(section, words), section])
              .filter(([points]) => points)
              .sort(([a], [b]) => b - a)
              .slice(0, 12)
        : [];
    results.replaceChildren(...found.map(([, section]) => entry(section, words)));
    if (words.length && !found.length) results.textContent = "No page has all of these words.";
    results.hidden = !words.length;
    query.setAttribute("aria-expanded", String(!results.hidden));
    chosen = -1;
}

function choose(step) {
    const links = [...results.querySelectorAll("a")];
    if (!links.length) return;
    chosen = (chosen + step + links.length) % links.length;
    links.forEach((link, index) => link.classList.toggle("chosen", index === chosen));
    links[chosen].scrollIntoView({ block: "nearest" });
}

query.addEventListener("focus", load);
query.addEventListener("input", search);
query.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(1);
    else if (event.key === "ArrowUp") choose(-1);
    else if (event.key === "Enter") results.querySelectorAll("a")[Math.max(chosen, 0)]?.click();
    else if (event.key === "Escape") results.hidden = true;
    else return;
    event.preventDefault();
});
document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input")) return;
    event.preventDefault();
    query.focus();
});
