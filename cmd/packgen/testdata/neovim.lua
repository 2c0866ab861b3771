-- Drives Neovim over a repository of packs and prints what its user sees, a line each.
-- SETUP is the snippet of editors/README.md, ROOT the repository.
local function say(...) io.stdout:write(table.concat({ ... }, " ") .. "\n") end
local function wait(what, ready)
  if not vim.wait(60000, ready, 20) then
    say("never:", what)
    vim.cmd("cquit!")
  end
end
local root = vim.env.ROOT
vim.cmd("filetype on")
dofile(vim.env.SETUP)

local function open(name)
  vim.cmd("edit " .. vim.fn.fnameescape(root .. "/" .. name))
  return vim.api.nvim_get_current_buf()
end
local function client()
  local list = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  return list[1]
end
local function put(buf, lines)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
end
local function ask(buf, method, line, column, more)
  vim.api.nvim_win_set_cursor(0, { line, column })
  local params = vim.lsp.util.make_position_params(0, "utf-16")
  for key, value in pairs(more or {}) do params[key] = value end
  for _, answer in pairs(vim.lsp.buf_request_sync(buf, method, params, 60000) or {}) do
    if answer.result then return answer.result end
  end
  return {}
end

local page = open("packs/kettle/documents/safety.md")
wait("the server", function() return client() and client().server_capabilities.hoverProvider end)
put(page, { "# Safety", "", "## Hot water", "", "See [care](nosuch.md) and [[desc" })
wait("a finding", function() return #vim.diagnostic.get(page) > 0 end)
for _, d in ipairs(vim.diagnostic.get(page)) do
  say("finding", d.lnum + 1, d.code or "")
end
for _, item in ipairs(ask(page, "textDocument/completion", 5, 32).items or {}) do say("completion", item.label) end
put(page, { "# Safety", "", "## Hot water", "", "See [care](kettle.md#daily-care).", "", "" })
wait("no broken link", function()
  for _, d in ipairs(vim.diagnostic.get(page)) do
    if d.code == "ref-broken" then return false end
  end
  return true
end)
local shown = ask(page, "textDocument/hover", 5, 14)
say("hover", (shown.contents and shown.contents.value or ""):match("## [^\n]*") or "")
vim.api.nvim_win_set_cursor(0, { 5, 14 })
vim.lsp.buf.definition()
wait("the page of the link", function() return vim.api.nvim_buf_get_name(0):match("kettle%.md$") end)
say("definition", vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ":t"), vim.api.nvim_win_get_cursor(0)[1])
vim.lsp.buf.rename("Care, every day")
wait("the renamed link", function()
  return vim.api.nvim_buf_get_lines(page, 4, 5, false)[1]:match("every")
end)
say("rename", vim.api.nvim_buf_get_lines(page, 4, 5, false)[1])
vim.cmd("silent wall")
vim.cmd("qall!")
