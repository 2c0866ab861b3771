const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("packgen").get("path");
  const documentSelector = ["**/*.md", "**/*.mdx", "**/packgen.{yaml,lock}", "**/boot.yml", "**/evals/*.{yaml,json}"].map((pattern) => ({ scheme: "file", pattern }));
  client = new LanguageClient("packgen", { command, args: ["lsp"] }, { documentSelector });
  return client.start();
};

exports.deactivate = () => client?.stop();
