// session-search in OpenCode: puts saved memories into the context of a session.
// Written by `session-search hook install --agent opencode`, removed by `session-search hook uninstall --agent opencode`.

import { spawn } from "node:child_process"

const PROGRAM = "session-search"
const TIMEOUT_MS = 5000

// OpenCode's tools by the names and inputs of Claude Code, which the program reads: what a call writes says what it is about.
const TOOLS = {
  __proto__: null,
  read: (args) => ["Read", { file_path: args.filePath }],
  edit: (args) => ["Edit", { file_path: args.filePath, old_string: args.oldString, new_string: args.newString }],
  write: (args) => ["Write", { file_path: args.filePath, content: args.content }],
  grep: (args) => ["Grep", { path: args.path, glob: args.include, pattern: args.pattern }],
  glob: (args) => ["Glob", { path: args.path, pattern: args.pattern }],
  bash: (args) => ["Bash", { command: args.command }],
  apply_patch: (args) => ["apply_patch", { command: args.patchText }],
}

// Asks the program about an event. Resolves to nothing where the program is missing, fails, is silent or takes too long.
function ask(input) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ["hook", "run"], { cwd: input.cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      const chunks = []
      const end = () => {
        clearTimeout(timer)
        resolve(parse(Buffer.concat(chunks)))
      }
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        resolve(undefined)
      }, TIMEOUT_MS)
      child.on("error", end)
      child.on("close", end)
      child.stdin.on("error", () => {})
      child.stdout.on("data", (chunk) => chunks.push(chunk))
      child.stdin.end(JSON.stringify(input))
    } catch {
      resolve(undefined)
    }
  })
}

function parse(answer) {
  try {
    return JSON.parse(answer).hookSpecificOutput
  } catch {
    return undefined
  }
}

export const SessionSearch = async ({ directory }) => {
  const sessions = new Map()

  // A session that this process did not create was there before.
  const find = (id) => {
    if (!sessions.has(id)) sessions.set(id, { source: "resume", isSubagent: false, texts: [] })
    return sessions.get(id)
  }

  const askFor = async (id, event, more) => {
    const answer = await ask({ session_id: id, cwd: directory, hook_event_name: event, ...more })
    if (answer?.additionalContext) find(id).texts.push(answer.additionalContext)
    return answer
  }

  // Asks for the list of memories where the model does not have it: once, and again after a compaction.
  const begin = async (id) => {
    const session = find(id)
    const source = session.source
    session.source = undefined
    if (!source || (session.isSubagent && source !== "compact")) return
    const count = session.texts.length
    await askFor(id, "SessionStart", { source })
    // A subagent is given no list, but what it was given counts as unsaid again.
    if (session.isSubagent) session.texts.length = count
  }

  const takeTexts = (id) => find(id).texts.splice(0).join("\n")

  return {
    event: async ({ event }) => {
      const { info, sessionID } = event?.properties ?? {}
      if (event?.type === "session.created") sessions.set(info?.id, { source: "startup", isSubagent: Boolean(info?.parentID), texts: [] })
      if (event?.type === "session.compacted") find(sessionID).source = "compact"
      if (event?.type === "session.deleted") sessions.delete(info?.id)
    },

    "chat.message": async ({ sessionID }, { message, parts }) => {
      await begin(sessionID)
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
      const prompt = typed.map((part) => part.text).join("\n")
      if (prompt && !find(sessionID).isSubagent) await askFor(sessionID, "UserPromptSubmit", { prompt })
      const text = takeTexts(sessionID)
      // Parts are in the order of their ids.
      if (text && parts.length) parts.push({ id: `${parts.at(-1).id}z`, sessionID, messageID: message.id, type: "text", text, synthetic: true })
    },

    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      if (!TOOLS[tool]) return
      await begin(sessionID)
      const [tool_name, tool_input] = TOOLS[tool](args ?? {})
      const answer = await askFor(sessionID, "PreToolUse", { tool_name, tool_input })
      if (answer?.permissionDecision === "deny") throw new Error(answer.permissionDecisionReason)
    },

    "tool.execute.after": async ({ tool, sessionID, args }, result) => {
      await begin(sessionID)
      const exit = result?.metadata?.exit
      if (tool === "bash" && exit) {
        const error = `Exit code ${exit}\n${result.output}`
        await askFor(sessionID, "PostToolUseFailure", { tool_name: "Bash", tool_input: { command: args?.command }, error })
      }
      if (typeof result?.output !== "string") return
      const text = takeTexts(sessionID)
      if (text) result.output += `\n\n<system-reminder>\n${text}</system-reminder>`
    },
  }
}
