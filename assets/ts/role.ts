// Role pages. The picker works without this script; it saves the reader a click
// and says what the chosen usecases cost where the page knows it.

/** Choosing a usecase means "only these"; its price is shown beside the choice. */
function start(): void {
  const form = document.querySelector<HTMLFormElement>("form.pick");
  const some = form?.querySelector<HTMLInputElement>("input[value=some]");
  if (!form || !some) return;
  const price = form.querySelector("output");
  if (!price) return;
  const show = (): void => {
    price.textContent = priceOf(chosen(form, some));
  };
  form.addEventListener("change", (event) => {
    const box = event.target as HTMLInputElement;
    if (box.type === "checkbox") some.checked = true;
    show();
  });
  show();
}

/** The choice as the tables of costs have it: the numbers of the usecases, or "all". */
function chosen(form: HTMLFormElement, some: HTMLInputElement): string {
  if (!some.checked) return "all";
  const numbers: string[] = [];
  for (const box of form.querySelectorAll<HTMLInputElement>(".sub input")) {
    if (box.checked) numbers.push(box.value);
  }
  return numbers.join(" ");
}

/** What a choice costs, from the tables of the page. */
function priceOf(choice: string): string {
  for (const row of document.querySelectorAll<HTMLTableRowElement>("table.costs tr[data-choice]")) {
    if (row.dataset["choice"] === choice) {
      const cells = row.cells;
      return `${cells[1]?.textContent ?? ""} tokens said, ${cells[3]?.textContent ?? ""} printed`;
    }
  }
  return "";
}

addEventListener("DOMContentLoaded", start);
