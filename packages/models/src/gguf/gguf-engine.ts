import { Refusal, serveEngine } from '@tollbook/workers/serve-engine'
import { answer } from './answer.ts'
import { loadGguf } from './load-gguf.ts'
import type { GgufAbout, GgufOrder, GgufRefusal, GgufSettings } from './orders.ts'

/** Maximum bytes of one token. Chosen: long words and runs of spaces have about 16. */
const MAX_TOKEN_BYTES = 32

serveEngine(async (provided) => {
  // Sent by the parent process.
  const { file, contextTokens, threads, sequences, gpu } = provided as GgufSettings
  const { library, llama, model } = await loadGguf({ file, threads, gpu })
  const { LlamaChat, TokenBias } = library
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

function refuseTooLong(): never {
  const refusal: GgufRefusal = { reason: 'it exceeds the context of the model', isTooLong: true }
  throw new Refusal(refusal)
}
