// Modules that are loaded when they are used: files beside the script of every page.

const script = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href;

/** Loads a module by the name of its file. */
export async function loadModule<T>(file: string): Promise<T> {
  const address = new URL(file, script).href;
  // A browser remembers that an address has failed; another one is asked again.
  return (import(address) as Promise<T>).catch(() => import(`${address}?again`) as Promise<T>);
}
