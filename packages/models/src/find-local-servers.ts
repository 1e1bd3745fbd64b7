import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import * as z from 'zod'

/** A model server on this machine. */
export type LocalServer = {
  /** Product name, derived from its answer. */
  readonly name: string
  /** Base URL of `/chat/completions`. */
  readonly baseUrl: string
  /** Model names as listed by the server; at least one. */
  readonly models: readonly string[]
}

export type LocalServersOptions = {
  /** Fetch function that may reach loopback. */
  readonly fetch: SafeFetch
  /** Defaults to the default ports of the servers below. */
  readonly ports?: readonly number[]
  /** For one port. Default 500: a local server answers within milliseconds. */
  readonly timeoutMs?: number
}

/**
 * Ollama, vLLM, llama.cpp and LocalAI, LM Studio, SGLang, Jan, text-generation-webui and KoboldCpp, according
 * to their documentation.
 */
const USUAL_PORTS = [11_434, 8_000, 8_080, 1_234, 30_000, 1_337, 5_000, 5_001]
const TIMEOUT_MS = 500
/** Enough for a few hundred models. */
const MAX_BYTES = 262_144

/** Values of `owned_by` that identify a server. */
const NAMES: Readonly<Record<string, string>> = {
  // ollama/ollama, openai/openai.go
  library: 'Ollama',
  // vllm-project/vllm, entrypoints/openai/protocol.py
  vllm: 'vLLM',
  // ggml-org/llama.cpp, tools/server/server.cpp
  llamacpp: 'llama.cpp',
  // lmstudio.ai/docs, the answer of GET /v1/models
  organization_owner: 'LM Studio',
  // sgl-project/sglang, srt/entrypoints/openai/protocol.py
  sglang: 'SGLang',
  koboldcpp: 'KoboldCpp',
}
/** Name patterns of models that do not chat. */
const NO_CHAT = /embed|rerank|whisper|tts|kokoro|bge-/i

/** https://platform.openai.com/docs/api-reference/models/list */
const modelList = z.object({
  object: z.literal('list'),
  data: z.array(z.object({ id: z.string().min(1).max(300), owned_by: z.string().nullish() })),
})

/**
 * Looks for chat completions servers on their usual ports of this machine, through their free list of models.
 * Other services are skipped.
 */
export async function findLocalServers(options: LocalServersOptions): Promise<readonly LocalServer[]> {
  const { ports = USUAL_PORTS } = options
  const found = await Promise.all(ports.map((port) => look(`http://127.0.0.1:${port}/v1`, options)))
  return found.filter((server) => server !== null)
}

async function look(
  baseUrl: string,
  { fetch, timeoutMs = TIMEOUT_MS }: LocalServersOptions,
): Promise<LocalServer | null> {
  try {
    const { status, body } = await fetch(`${baseUrl}/models`, {
      accept: 'application/json',
      maxBytes: MAX_BYTES,
      timeoutMs,
      maxRedirects: 0,
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (status !== 200) return null
    const { data } = modelList.parse(JSON.parse(new TextDecoder().decode(body)))
    const chat = data.filter(({ id }) => !NO_CHAT.test(id))
    const owner = chat[0]?.owned_by
    if (chat.length === 0) return null
    const name = (owner && NAMES[owner]) || 'A chat completions server'
    return { name, baseUrl, models: chat.map(({ id }) => id) }
  } catch {
    // Nothing listens on the port, or another service does.
    return null
  }
}
