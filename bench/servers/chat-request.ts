/** The tier that is called; it has no limits of its own. */
export const BENCH_TIER = 'tier-3'
export const CHAT_MODEL = 'upstream-model'

/** How the stub answers a stream. */
export type StreamPlan = { readonly chunks: number; readonly gapMs: number }

/** Characters of a conversation. Chosen: a page of text, typical of a question with some context. */
const CONVERSATION_CHARACTERS = 2_000
const PROSE = 'The toll keeper counts each wagon that passes the bridge and writes it into the book. '

/** The body of a call: a conversation whose last message instructs the stub. */
export function toChatBody(plan?: StreamPlan): string {
  const context = PROSE.repeat(Math.ceil(CONVERSATION_CHARACTERS / PROSE.length))
  const order = plan ? `Say ${plan.chunks} words, one each ${plan.gapMs} ms.` : 'Say it all.'
  return JSON.stringify({
    model: CHAT_MODEL,
    messages: [
      { role: 'system', content: context },
      { role: 'user', content: order },
    ],
    temperature: 0.7,
    // Each word of a stream is a time of up to 17 characters, so that 250 are more than 1,000 tokens.
    max_tokens: 2_048,
    ...(plan && { stream: true }),
  })
}

/** What a conversation requests from the stub; null requests a whole answer. */
export function readPlan(messages: readonly { readonly content: string }[]): StreamPlan | null {
  const [, chunks, gapMs] =
    /^Say (\d+) words, one each (\d+) ms\.$/.exec(messages.at(-1)?.content ?? '') ?? []
  return chunks === undefined ? null : { chunks: Number(chunks), gapMs: Number(gapMs) }
}

/** Microseconds of a clock that all processes of the machine share. */
export function nowMicros(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}
