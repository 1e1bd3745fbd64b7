import { open } from 'node:fs/promises'
import { Refusal, serveEngine } from '../../workers/serve-engine.ts'
import { answer } from './answer.ts'
import type { GgufAbout, GgufOrder, GgufRefusal, GgufSettings } from './orders.ts'

/** Bytes that one token stands for at most. Chosen: long words and runs of spaces have some 16. */
const MAX_TOKEN_BYTES = 32
/** How each such file begins (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). */
const MAGIC = 'GGUF'

serveEngine(async (given) => {
  // What the parent of this process sent.
  const { file, contextTokens, threads, sequences, gpu } = given as GgufSettings
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
    throw new Error(`${file} is no model that llama.cpp can load: ${messageOf(error)}`)
  })
  const context = await model.createContext({
    sequences,
    ...(threads > 0 && { threads }),
    contextSize: contextTokens ?? { max: model.trainContextSize },
  })
  // Each keeps what it read last, so that a conversation that goes on is not read again.
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
      if (!lane) throw new Error('more answers at a time than there are sequences')
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

/** Tells what is no model at all before the library is loaded. */
async function checkFile(file: string): Promise<void> {
  const magic = Buffer.alloc(MAGIC.length)
  try {
    const handle = await open(file)
    await handle.read(magic).finally(() => handle.close())
  } catch (error) {
    throw new Error(`${file} cannot be read`, { cause: error })
  }
  if (magic.toString('latin1') !== MAGIC) throw new Error(`${file} is no GGUF file`)
}

function refuseTooLong(): never {
  const refusal: GgufRefusal = { reason: 'it is longer than the context', isTooLong: true }
  throw new Refusal(refusal)
}

/** An optional dependency: large, and needed by those alone who have a model. */
async function loadLibrary() {
  try {
    return await import('node-llama-cpp')
  } catch (error) {
    throw new Error('the package node-llama-cpp is not installed here: npm install node-llama-cpp@3.22.1', {
      cause: error,
    })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
