import { ModelFailed } from './failure.ts'

/** Largest event of a model's stream, in UTF-16 units. Chosen: a chunk has some hundred, a whole answer stays below. */
const MAX_EVENT_LENGTH = 4 * 1024 * 1024

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream)
 * and gives the data of each: lines may end by CR, LF or both, characters and lines may be split between pieces.
 * Comments and fields beside `data` are left out. Unlike there, an event that the end of the stream cuts short is
 * given too, since upstreams leave out the last empty line.
 * @throws ModelFailed where an event is longer than 4 million characters.
 */
export async function* readEventData(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let line = ''
  let data: string[] = []
  let size = 0
  let endedByReturn = false
  for await (const piece of pieces) {
    let text = decoder.decode(piece, { stream: true })
    if (text === '') continue
    if (endedByReturn && text.startsWith('\n')) text = text.slice(1)
    endedByReturn = text.endsWith('\r')
    size += text.length
    if (size > MAX_EVENT_LENGTH) throw new ModelFailed('an event of the stream has no end')
    const [first = '', ...others] = text.split(/\r\n|\n|\r/)
    line += first
    for (const next of others) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n')
        data = []
        size = 0
      } else addLine(line, data)
      line = next
    }
  }
  addLine(line + decoder.decode(), data)
  if (data.length > 0) yield data.join('\n')
}

function addLine(line: string, data: string[]): void {
  if (line === 'data') data.push('')
  else if (line.startsWith('data: ')) data.push(line.slice('data: '.length))
  else if (line.startsWith('data:')) data.push(line.slice('data:'.length))
}
