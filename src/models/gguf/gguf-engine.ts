import { open } from 'node:fs/promises'
import { Refusal, serveEngine } from '../../workers/serve-engine.ts'
import { answer } from './answer.ts'
import type { GgufAbout, GgufOrder, GgufRefusal, GgufSettings } from './orders.ts'

/** Maximum bytes of one token. Chosen: long words and runs of spaces have about 16. */
const MAX_TOKEN_BYTES = 32
/** First bytes of a GGUF file (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). */
const MAGIC = 'GGUF'

serveEngine(async (provided) => {
  // Sent by the parent process.
  const { file, contextTokens, threads, sequences, gpu } = provided as GgufSettings
  await checkFile(file)
  const { getLlama, LlamaChat, LlamaLogLevel, TokenBias } = await loadLibrary()
  const llama = await getLlama({
    gpu,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.disabled,
    ...(threads > 0 && { maxThreads: threads }),
  })
  const model = await llama.loadModel({ modelPath: file }).catch((error: unknown) => {
    throw new Error(`llama.cpp cannot load ${file}: ${messageOf(error)}`)
  })
  const context = await model.createContext({
    sequences,
    ...(threads > 0 && { threads }),
    contextSize: contextTokens ?? { max: model.trainContextSize },
  })
  // Each sequence caches its last conversation, so that continuing it does not process the prompt again.
  const free = Array.from({ length: sequences }, () => {
    const sequence = context.getSequence()
    return { sequence, chat: new LlamaChat({ contextSequence: sequence }) }
  })
  const about: GgufAbout = { contextTokens: context.contextSize }
  return {
    about,
    async run(order, { signal, emit }) {
      const { request } = order as GgufOrder
      const bytes = request.messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
      if (bytes > context.contextSize * MAX_TOKEN_BYTES) refuseTooLong()
      const lane = free.pop()
      if (!lane) throw new Error('more concurrent answers than sequences')
      const toTokenBias = (biases: ReadonlyMap<number, number>) => {
        const made = TokenBias.for(model)
        for (const [token, bias] of biases)
          made.set(token as never, bias === Number.NEGATIVE_INFINITY ? 'never' : { logit: bias })
        return made
      }
      try {
        return await answer(request, { llama, ...lane, toTokenBias, signal, emit, refuseTooLong })
      } finally {
        free.push(lane)
      }
    },
  }
})

/** Rejects a file that is not a model before the library is loaded. */
async function checkFile(file: string): Promise<void> {
  const magic = Buffer.alloc(MAGIC.length)
  try {
    const handle = await open(file)
    await handle.read(magic).finally(() => handle.close())
  } catch (error) {
    throw new Error(`${file} cannot be read`, { cause: error })
  }
  if (magic.toString('latin1') !== MAGIC) throw new Error(`${file} is not a GGUF file`)
}

function refuseTooLong(): never {
  const refusal: GgufRefusal = { reason: 'it exceeds the context of the model', isTooLong: true }
  throw new Refusal(refusal)
}

/** An optional dependency: large, and needed only for local models. */
async function loadLibrary() {
  try {
    return await import('node-llama-cpp')
  } catch (error) {
    throw new Error('the package node-llama-cpp is not installed; run: npm install node-llama-cpp@3.22.1', {
      cause: error,
    })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
