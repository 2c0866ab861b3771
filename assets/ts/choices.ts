// What the reader has chosen before, in force before the first paint. Storage may be closed
// to us: a page then follows the system, and hides the marks of splits.

export const THEME = "packgen-theme";
export const MARKS = "packgen-splits";

export function restoreChoices(): void {
  const chosen = document.documentElement.dataset;
  try {
    const theme = localStorage.getItem(THEME);
    if (theme === "light" || theme === "dark") chosen["theme"] = theme;
    if (localStorage.getItem(MARKS) === "shown") chosen["marks"] = "";
  } catch {
    // Nothing is kept.
  }
}
