// What the build knows of the book (tools/pages/classroom.py puts SETUP in front of the script), and where this page is.
export const setup = SETUP;
export const here = document.currentScript.src.replace(/[^/]*$/, ""); // the folder that the script is loaded from
export const page = document.querySelector("meta[name=attnbook-page]")?.content || "";
export const t = globalThis.attnbookSay; // words in the language of the page (tools/languages)
