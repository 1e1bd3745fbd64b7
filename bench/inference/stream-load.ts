import { once } from 'node:events'
import { connect } from 'node:net'
import { nowMicros, type StreamPlan } from '../servers/chat-request.ts'

export type StreamLoadOptions = {
  /** Origin of the server. */
  readonly url: string
  readonly requests: readonly Buffer[]
  /** Concurrent streams, each on its own connection. */
  readonly concurrency: number
  readonly plan: StreamPlan
}

/** What the reader of the streams observed. */
export type StreamLoad = {
  /** From the request to its first content, in ms. */
  readonly firstMs: number[]
  /** From the time the upstream wrote a word to the time it was read, in ms; without first words. */
  readonly lateMs: number[]
  /** Between two words of a stream, in ms. */
  readonly gapMs: number[]
  /** Words that arrived with the previous word or within a tenth of the upstream's gap after it. */
  together: number
}

/** A word of the stub: the time at which it was written. */
const WORD = /"content":" (\d+)"/g
const TOGETHER_SHARE = 0.1

/**
 * Reads a bounded number of streams at a time and records when each word arrives.
 * @throws if a stream does not answer 200 or is not whole: words that were not sent cost nothing.
 */
export async function runStreams(options: StreamLoadOptions): Promise<StreamLoad> {
  const load: StreamLoad = { firstMs: [], lateMs: [], gapMs: [], together: 0 }
  const waiting = [...options.requests]
  const work = async () => {
    for (let request = waiting.shift(); request; request = waiting.shift()) {
      await readStream(request, options, load)
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, work))
  return load
}

async function readStream(
  request: Buffer,
  { url, plan }: Pick<StreamLoadOptions, 'url' | 'plan'>,
  load: StreamLoad,
): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  const sentMicros = nowMicros()
  let words = 0
  let lastMicros = 0
  // The part that is not yet a complete event.
  let rest = ''
  let isWhole = false
  socket.setEncoding('latin1')
  socket.write(request)
  try {
    for await (const piece of socket as AsyncIterable<string>) {
      const micros = nowMicros()
      rest += piece
      if (words === 0 && !rest.startsWith('HTTP/1.1 200')) throw new Error(rest.slice(0, 300))
      let end = 0
      for (const match of rest.matchAll(WORD)) {
        end = match.index + match[0].length
        words += 1
        if (words === 1) load.firstMs.push((micros - sentMicros) / 1000)
        else {
          const gapMs = (micros - lastMicros) / 1000
          load.gapMs.push(gapMs)
          if (gapMs < plan.gapMs * TOGETHER_SHARE) load.together += 1
          load.lateMs.push((micros - Number(match[1])) / 1000)
        }
        lastMicros = micros
      }
      rest = rest.slice(end)
      if (rest.includes('data: [DONE]')) {
        isWhole = true
        break
      }
    }
  } finally {
    socket.destroy()
  }
  if (words !== plan.chunks || !isWhole) throw new Error(`a stream ended after ${words} words`)
}
