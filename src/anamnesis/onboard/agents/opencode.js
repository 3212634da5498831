// Written by `anamnesis init`, removed by `anamnesis uninstall`; changes here are overwritten.
import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const COMMAND = __COMMAND__
const ENVIRONMENT = __ENVIRONMENT__
const PATIENCE = 15_000

function run(words, payload) {
  return new Promise((resolve) => {
    const [program, ...first] = COMMAND
    const child = spawn(program, [...first, ...words], {
      env: { ...process.env, ...ENVIRONMENT },
      stdio: ["pipe", "pipe", "ignore"],
      timeout: PATIENCE,
    })
    let said = ""
    child.stdout.on("data", (data) => (said += data))
    child.stdin.on("error", () => {})
    child.on("error", () => resolve(""))
    child.on("close", () => resolve(said.trim()))
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Anamnesis = async ({ client, directory }) => {
  const started = new Map() // session -> what it was given at its start
  const recalled = new Map() // session -> what its last prompt brought to mind

  const capture = async (session, ...words) => {
    const info = (await client.session.get({ path: { id: session } })).data
    const messages = (await client.session.messages({ path: { id: session } })).data
    if (!info || info.parentID || !messages) return
    const folder = await mkdtemp(join(tmpdir(), "anamnesis-"))
    const transcript = join(folder, `${session}.json`)
    try {
      await writeFile(transcript, JSON.stringify({ info, messages }), { mode: 0o600 })
      const payload = { session_id: session, cwd: directory, transcript_path: transcript }
      await run(["capture", ...words], payload)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = parts.filter((part) => part.type === "text").map((part) => part.text).join("\n")
      const payload = { session_id: sessionID, cwd: directory, prompt, hook_event_name: "UserPromptSubmit" }
      recalled.set(sessionID, await run(["recall-hook", "--format", "text"], payload))
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const session = sessionID ?? ""
      if (!started.has(session)) {
        const payload = { session_id: session, cwd: directory, hook_event_name: "SessionStart", source: "startup" }
        started.set(session, await run(["inject", "--format", "text"], payload))
      }
      for (const text of [started.get(session), recalled.get(session)]) if (text) system.push(text)
    },
    "tool.execute.after": async ({ tool, sessionID }, output) => {
      if (tool !== "bash" || !output.metadata?.exit) return
      const payload = { session_id: sessionID, cwd: directory, error: output.output }
      const helped = await run(["failure-hook", "--format", "text"], payload)
      if (helped) output.output += `\n\n${helped}`
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await capture(sessionID, "--source", "precompact", "--no-sync")
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") await capture(event.properties.sessionID)
    },
  }
}
