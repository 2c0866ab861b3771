// The hits on the page of a lost address: sections that have the words of the address.

import { Form } from "./form";

const PAGES = 8; // that are listed
const SECTIONS = 2; // of each

/** Fills the room with the sections that have the words of the page's name; of the whole address if no section has. */
export function prepareLost(room: HTMLElement, base: URL, name: string, words: string): void {
  const make = (tag: string, kind: string): HTMLElement => {
    const element = document.createElement(tag);
    element.className = kind;
    return element;
  };
  const title = make("h2", "label");
  title.textContent = "What has its words";
  const state = make("div", "state");
  state.setAttribute("role", "status");
  const list = make("div", "results");
  room.replaceChildren(title, state, list);
  const input = document.createElement("input");
  input.value = name || words;
  const form = new Form(base, false, { pages: PAGES, sections: SECTIONS }, { input, filters: make("div", "filters"), state, list });
  form.shown = () => {
    if (list.childElementCount > 0 || state.querySelector(".fault")) return;
    state.replaceChildren("No section of the packs has these words.");
    if (input.value === words) return;
    input.value = words;
    void form.ask();
  };
  void form.ask();
}
