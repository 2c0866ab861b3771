// Makes elements. Text from packs goes in as text, never as markup.

/** An element with a class and content. */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, kind: string, ...content: (string | Node)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.append(...content);
  return element;
}

/** A button that does something. */
export function button(kind: string, text: string, click: (button: HTMLButtonElement) => void): HTMLButtonElement {
  const element = make("button", kind, text);
  element.type = "button";
  element.addEventListener("click", () => click(element));
  return element;
}

/** A field with its label above it. */
export function labelled(text: string, field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement): HTMLLabelElement {
  return make("label", "", make("span", "", text), field);
}

/** A number with a comma for each thousand. */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A number and a word for what is counted. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function find<T extends HTMLElement>(where: ParentNode, selector: string): T {
  const element = where.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}
