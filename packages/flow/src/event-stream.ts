import { RetryableError } from './failure.ts'

/**
 * Maximum size of an event, in UTF-16 code units. Chosen: a chunk has a few hundred, and a whole answer stays
 * below the limit.
 */
const MAX_EVENT_LENGTH = 4 * 1024 * 1024

/** The sender goes on with an event that is longer than any should be. */
export class EventTooLong extends RetryableError {
  override readonly name = 'EventTooLong'
}

/**
 * Parses server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream) and yields the
 * data of each. Lines may end with CR, LF or both; characters and lines may be split between chunks. Comments
 * go to `onComment`; fields other than `data` are skipped. Unlike the standard, the last event is yielded even if the stream
 * ends before its blank line, since upstreams omit it.
 * @throws EventTooLong if an event is longer than 4 million characters
 */
export async function* readEventData(
  pieces: AsyncIterable<Uint8Array>,
  onComment?: (text: string) => void,
): AsyncGenerator<string> {
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
    if (size > MAX_EVENT_LENGTH) throw new EventTooLong('the stream contains an event that is too long')
    const [first = '', ...others] = text.split(/\r\n|\n|\r/)
    line += first
    for (const next of others) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n')
        data = []
        size = 0
      } else if (line.startsWith(':')) onComment?.(line.slice(1).trim())
      else addLine(line, data)
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
