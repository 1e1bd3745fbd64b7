import * as z from 'zod'
import type { SafeFetch } from '../fetching/safe-fetch.ts'

/** A server of models that answers on this machine. */
export type LocalServer = {
  /** By what it calls itself. */
  readonly name: string
  /** Where `/chat/completions` stands. */
  readonly baseUrl: string
  /** At least one, as the server names them. */
  readonly models: readonly string[]
}

export type LocalServersOptions = {
  /** Reaches loopback. */
  readonly fetch: SafeFetch
  /** Default those that the servers listen on without a setting. */
  readonly ports?: readonly number[]
}

/**
 * Ollama, vLLM, llama.cpp and LocalAI, LM Studio, SGLang, Jan, text-generation-webui and KoboldCpp, as their
 * documentation has them.
 */
const USUAL_PORTS = [11_434, 8_000, 8_080, 1_234, 30_000, 1_337, 5_000, 5_001]
/** Chosen: a server on this machine answers in some milliseconds. */
const TIMEOUT_MS = 500
/** Some hundred models. */
const MAX_BYTES = 262_144

/** What servers call themselves as the owner of their models. */
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
/** Models that answer no chat, by how they are called. */
const NO_CHAT = /embed|rerank|whisper|tts|kokoro|bge-/i

/** https://platform.openai.com/docs/api-reference/models/list */
const modelList = z.object({
  object: z.literal('list'),
  data: z.array(z.object({ id: z.string().min(1).max(300), owned_by: z.string().nullish() })),
})

/**
 * Looks for servers of chat completions on their usual ports of this machine, by the free list of their models.
 * Whatever else listens there is passed over.
 */
export async function findLocalServers(options: LocalServersOptions): Promise<readonly LocalServer[]> {
  const { fetch, ports = USUAL_PORTS } = options
  const found = await Promise.all(ports.map((port) => look(`http://127.0.0.1:${port}/v1`, fetch)))
  return found.filter((server) => server !== null)
}

async function look(baseUrl: string, fetch: SafeFetch): Promise<LocalServer | null> {
  try {
    const { status, body } = await fetch(`${baseUrl}/models`, {
      accept: 'application/json',
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (status !== 200) return null
    const { data } = modelList.parse(JSON.parse(new TextDecoder().decode(body)))
    const chat = data.filter(({ id }) => !NO_CHAT.test(id))
    const owner = chat[0]?.owned_by
    if (chat.length === 0) return null
    const name = (owner && NAMES[owner]) || 'A server of chat completions'
    return { name, baseUrl, models: chat.map(({ id }) => id) }
  } catch {
    // Nothing listens there, or something else does.
    return null
  }
}
