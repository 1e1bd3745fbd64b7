import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { dial } from '../../fetching/dial.ts'
import type { Way } from '../../fetching/one-request.ts'
import { takeTurn } from '../../fetching/take-turn.ts'
import { parseTarget } from '../../fetching/target.ts'

/** What a mail server says about a mailbox; null where it does not say. */
export type MailboxFinding = {
  /** Whether it accepts mail for a mailbox that nobody has. */
  readonly isCatchAll: boolean | null
  /** Whether it accepts mail for this one, and not for all. */
  readonly accepts: boolean | null
}

/** Asks the mail server of a mailbox. Sends no mail, and never throws, unless its signal is aborted. */
export type ProbeMailbox = (mailbox: Mailbox, signal: AbortSignal) => Promise<MailboxFinding>

type Mailbox = { readonly exchange: string; readonly local: string; readonly domain: string }

type ProbeOptions = {
  readonly way: Way
  /** The name of this machine in EHLO. */
  readonly ownName: string
  /** Default 25. */
  readonly port?: number
  /** For the whole conversation; default 6,000: a tarpit answers nothing in time. */
  readonly timeoutMs?: number
}

/** A reply of a mail server (RFC 5321 section 4.2). */
type SmtpReply = {
  readonly code: number
  /** The enhanced status, such as `5.1.1` (RFC 3463), of its last line; null without. */
  readonly status: string | null
}

/** Of a conversation. RFC 5321 section 4.5.3.1.5: 512 octets for a line; no server sends 64 lines. */
const MAX_BYTES = 32_768
const LINE = /^(\d{3})([ -]?)(?:([245]\.\d{1,3}\.\d{1,3})(?: |$))?/

const UNKNOWN: MailboxFinding = { isCatchAll: null, accepts: null }
/** Letters that no person has as an address. */
const RANDOM_BYTES = 12

/** Mail servers are reached like any host of a caller: at public addresses alone, a few at a time. */
export function createMailboxProbe({
  way,
  ownName,
  port = 25,
  timeoutMs = 6_000,
}: ProbeOptions): ProbeMailbox {
  return async ({ exchange, local, domain }, outer) => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([outer, deadline])
    try {
      const rules = { ...way.rules, ports: new Set([`${port}`]) }
      const url = parseTarget(`http://${exchange}:${port}`, rules)
      const release = await takeTurn(way.hosts, url.host, signal)
      try {
        const { socket } = await dial(url, {
          ...way,
          rules,
          alpn: [],
          certificates: 'require',
          signal,
          onStep() {},
        })
        try {
          return await talk(converseSmtp(socket), signal)
        } finally {
          socket.end('QUIT\r\n').destroySoon()
        }
      } finally {
        release()
      }
    } catch {
      outer.throwIfAborted()
      return UNKNOWN
    }

    async function talk({ greeting, ask }: ReturnType<typeof converseSmtp>, signal: AbortSignal) {
      const opened = await greeting(signal)
      if (opened.code !== 220) return UNKNOWN
      for (const command of [`EHLO ${ownName}`, 'MAIL FROM:<>'])
        if ((await ask(command, signal)).code !== 250) return UNKNOWN
      const random = judge(
        await ask(`RCPT TO:<${randomBytes(RANDOM_BYTES).toString('hex')}@${domain}>`, signal),
      )
      if (random !== 'refused' && random !== 'unknown_mailbox')
        return { isCatchAll: random === 'accepted' || null, accepts: null }
      const own = judge(await ask(`RCPT TO:<${local}@${domain}>`, signal))
      if (own === 'accepted') return { isCatchAll: false, accepts: true }
      // Both refused: without a status it may be us whom the server refuses.
      if (random === 'refused') return UNKNOWN
      return { isCatchAll: false, accepts: own === 'unknown_mailbox' ? false : null }
    }
  }
}

/** What a reply to RCPT means; null: nothing, such as greylisting (450), a policy (5.7.1) or VRFY's 252. */
function judge({ code, status }: SmtpReply): 'accepted' | 'refused' | 'unknown_mailbox' | null {
  if (code === 250 || code === 251) return 'accepted'
  if (code !== 550 && code !== 551 && code !== 553) return null
  if (status === null) return 'refused'
  return status.startsWith('5.1.') ? 'unknown_mailbox' : null
}

/** The connection ended, or its answers are no SMTP. */
class SmtpFailed extends Error {
  override readonly name = 'SmtpFailed'
}

/** One conversation on an open connection: the greeting, then a reply for each command. */
function converseSmtp(socket: Socket) {
  let rest = ''
  let bytes = 0
  let hasEnded = false
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    bytes += text.length
    rest += text
    // A server that talks without being asked is not read any further.
    if (bytes > MAX_BYTES) socket.destroy()
  })
  socket.once('close', () => {
    hasEnded = true
  })

  async function read(signal: AbortSignal): Promise<SmtpReply> {
    for (;;) {
      const found = takeReply()
      if (found) return found
      if (hasEnded || bytes > MAX_BYTES) throw new SmtpFailed('the mail server ended the conversation')
      const stop = new AbortController()
      const either = { signal: AbortSignal.any([signal, stop.signal]) }
      await Promise.race([once(socket, 'data', either), once(socket, 'close', either)]).finally(() =>
        stop.abort(),
      )
    }
  }

  function takeReply(): SmtpReply | null {
    // Each line is read once, also if its bytes arrive one by one.
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const [, code, more, status] = LINE.exec(rest.slice(0, end)) ?? []
      if (code === undefined) throw new SmtpFailed('the mail server does not speak SMTP')
      rest = rest.slice(end + 2)
      if (more !== '-') return { code: Number(code), status: status ?? null }
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
