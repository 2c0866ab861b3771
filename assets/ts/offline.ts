// Asks for the worker that keeps the site for times without a network.

const script = document.currentScript;

if (script instanceof HTMLScriptElement && "serviceWorker" in navigator && isSecureContext) {
  const worker = new URL("../offline.js", script.src);
  const register = (): void => void navigator.serviceWorker.register(worker.href, { scope: new URL(".", worker).href }).catch(() => undefined);
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}
