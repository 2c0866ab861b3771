// Role pages. The picker works without this script; it saves the reader a click
// and says what the chosen usecases cost where the page knows it.

/** Choosing a usecase means "only these"; its price is shown beside the choice. */
function start(): void {
  const form = document.querySelector<HTMLFormElement>("form.pick");
  const some = document.querySelector<HTMLInputElement>("#usome");
  if (!form || !some) return;
  const price = document.createElement("output");
  price.className = "price";
  form.append(price);
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

/** The name of the choice, as the tables of costs have it; "" when nothing is chosen. */
function chosen(form: HTMLFormElement, some: HTMLInputElement): string {
  if (!some.checked) return "every subject";
  const names: string[] = [];
  for (const box of form.querySelectorAll<HTMLInputElement>(".sub input")) {
    if (box.checked) names.push(box.dataset["slug"] ?? "");
  }
  return names.join(", ");
}

/** What a choice costs, from the tables of the page. */
function priceOf(choice: string): string {
  for (const row of document.querySelectorAll<HTMLTableRowElement>(".costs tbody tr")) {
    const cells = row.cells;
    if (cells[0]?.textContent?.trim() === choice) {
      return `${cells[1]?.textContent ?? ""} tokens said, ${cells[3]?.textContent ?? ""} printed`;
    }
  }
  return "";
}

addEventListener("DOMContentLoaded", start);
