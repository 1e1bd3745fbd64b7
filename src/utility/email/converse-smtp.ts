import { once } from 'node:events'
import type { Socket } from 'node:net'

/** A reply of a mail server (RFC 5321 section 4.2). */
export type SmtpReply = {
  readonly code: number
  /** The enhanced status, such as `5.1.1` (RFC 3463), of its last line; null without. */
  readonly status: string | null
}

/** The connection ended, or its answers are no SMTP. */
export class SmtpFailed extends Error {
  override readonly name = 'SmtpFailed'
}

/** RFC 5321 section 4.5.3.1.5: 512 octets for a line; no server sends 64 lines. */
const MAX_REPLY_BYTES = 32_768
const LINE = /^(\d{3})([ -]?)(?:([245]\.\d{1,3}\.\d{1,3})(?: |$))?/

/** One conversation on an open connection: the greeting, then a reply for each command. */
export function converseSmtp(socket: Socket) {
  let rest = ''
  let hasEnded = false
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    // A server that talks without being asked is not read any further.
    if (rest.length <= MAX_REPLY_BYTES) rest += text
    if (rest.length > MAX_REPLY_BYTES) socket.destroy()
  })
  socket.once('close', () => {
    hasEnded = true
  })

  async function read(signal: AbortSignal): Promise<SmtpReply> {
    for (;;) {
      const found = takeReply()
      if (found) return found
      if (hasEnded || rest.length > MAX_REPLY_BYTES)
        throw new SmtpFailed('the mail server ended the conversation')
      const stop = new AbortController()
      const either = { signal: AbortSignal.any([signal, stop.signal]) }
      await Promise.race([once(socket, 'data', either), once(socket, 'close', either)]).finally(() =>
        stop.abort(),
      )
    }
  }

  function takeReply(): SmtpReply | null {
    const lines = rest.split('\r\n')
    for (const [at, line] of lines.slice(0, -1).entries()) {
      const [, code, more, status] = LINE.exec(line) ?? []
      if (code === undefined) throw new SmtpFailed('the mail server does not speak SMTP')
      if (more === '-') continue
      rest = lines.slice(at + 1).join('\r\n')
      return { code: Number(code), status: status ?? null }
    }
    return null
  }

  return {
    greeting: read,
    ask(command: string, signal: AbortSignal): Promise<SmtpReply> {
      socket.write(`${command}\r\n`)
      return read(signal)
    },
  }
}
