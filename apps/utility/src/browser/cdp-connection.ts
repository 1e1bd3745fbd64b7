import { RenderError } from './browser-task.ts'

/** An event of the protocol, with its session. */
export type CdpEvent = {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly sessionId?: string
}

/** A connection by the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/). */
export type CdpConnection = {
  /** @throws RenderError if the browser returns an error, or has disconnected. */
  send<Result>(method: string, params: object, sessionId?: string): Promise<Result>
  close(): void
}

type Message = Partial<CdpEvent> & {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message?: string }
}

type Options = {
  readonly timeoutMs: number
  readonly onEvent: (event: CdpEvent) => void
  /** Called once, if the browser disconnects by itself. */
  readonly onGone: (error: RenderError) => void
}

/**
 * Connects to a browser.
 * @param url `ws:` or `wss:` of its debugging protocol, or `http:` or `https:` of its debugging port, which
 * is queried for the current WebSocket URL: it changes with each start of a browser.
 * @throws RenderError if it cannot be reached in time.
 */
export async function connectCdp(
  url: string,
  { timeoutMs, onEvent, onGone }: Options,
): Promise<CdpConnection> {
  const signal = AbortSignal.timeout(timeoutMs)
  const socket = await open(await findSocketUrl(url, signal), signal)
  type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void }
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let isClosed = false
  socket.addEventListener('message', ({ data }) => {
    // The browser belongs to the operator and sends JSON of this form.
    const message = JSON.parse(String(data)) as Message
    if (message.method !== undefined) return onEvent({ params: {}, ...message, method: message.method })
    const pending = waiting.get(message.id ?? 0)
    waiting.delete(message.id ?? 0)
    if (message.error) pending?.reject(toRenderError(message.error.message ?? 'no reason'))
    else pending?.resolve(message.result)
  })
  socket.addEventListener('close', () => {
    const gone = new RenderError({ of: 'browser', detail: 'the browser disconnected' })
    for (const { reject } of waiting.values()) reject(gone)
    waiting.clear()
    if (!isClosed) onGone(gone)
    isClosed = true
  })
  return {
    send<Result>(method: string, params: object, sessionId?: string) {
      if (isClosed)
        return Promise.reject(new RenderError({ of: 'browser', detail: 'the browser is disconnected' }))
      lastId += 1
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      waiting.set(lastId, { resolve, reject })
      socket.send(JSON.stringify({ id: lastId, method, params, ...(sessionId && { sessionId }) }))
      // The caller passes the result type that the protocol defines for this method.
      return promise as Promise<Result>
    },
    close() {
      isClosed = true
      socket.close()
    },
  }
}

function toRenderError(reason: string): RenderError {
  return new RenderError({ of: 'page', detail: `the browser returned an error: ${reason}` })
}

async function findSocketUrl(url: string, signal: AbortSignal): Promise<string> {
  if (/^wss?:/i.test(url)) return url
  try {
    const answer = await fetch(`${url}/json/version`, { signal, redirect: 'error' })
    const version = (await answer.json()) as { webSocketDebuggerUrl?: unknown }
    if (typeof version.webSocketDebuggerUrl === 'string') return version.webSocketDebuggerUrl
  } catch (error) {
    throw new RenderError({ of: 'browser', detail: 'the browser cannot be reached' }, { cause: error })
  }
  throw new RenderError({ of: 'browser', detail: "the browser's debugging port has no protocol URL" })
}

async function open(url: string, signal: AbortSignal): Promise<WebSocket> {
  if (!URL.canParse(url))
    throw new RenderError({ of: 'browser', detail: "the browser's WebSocket URL is invalid" })
  const socket = new WebSocket(url)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = () => {
    socket.close()
    reject(new RenderError({ of: 'browser', detail: 'the browser cannot be reached' }))
  }
  signal.addEventListener('abort', fail, { once: true })
  socket.addEventListener('open', () => resolve(), { once: true })
  socket.addEventListener('error', fail, { once: true })
  await promise.finally(() => signal.removeEventListener('abort', fail))
  return socket
}
