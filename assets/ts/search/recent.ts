// Recent searches. Storage may be closed to us; then there are none.

const KEY = "packgen-search";
const MOST = 8;

export function recent(): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    if (!Array.isArray(list)) return [];
    return list.filter((text): text is string => typeof text === "string" && text.length <= 200).slice(0, MOST);
  } catch {
    return [];
  }
}

export function remember(text: string): void {
  text = text.trim();
  if (text === "" || text.length > 200) return;
  keep([text, ...recent().filter((other) => other !== text)].slice(0, MOST));
}

export function forget(): void {
  keep([]);
}

function keep(list: string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(list));
  } catch {
    // They are forgotten with the page.
  }
}
