import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { readDecoded } from '@tollbook/flow/decoded-body'
import { AnswerTooLarge } from '@tollbook/flow/failure'

export type HttpAnswer = {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
}

/** Posts a body and reads the answer, whatever its status. @throws the signal's reason; AnswerTooLarge. */
export type HttpPost = (body: string, signal: AbortSignal | undefined) => Promise<HttpAnswer>

/**
 * Creates a function that posts JSON to one URL over keep-alive connections and follows no redirect. Uses
 * `node:http`, because fetch costs three times as much for each of the small requests that a payment consists
 * of. A user and password in the URL become basic authentication.
 * @param maxBytes maximum size of an answer after decoding.
 * @param token bearer token, instead of them.
 * @throws TypeError for a URL that is not http or https; its text is not repeated.
 */
export function createHttpPost(address: string, maxBytes: number, token?: string): HttpPost {
  const { url, authorization: basic } = splitCredentials(parseUrl(address))
  const authorization = token === undefined ? basic : `Bearer ${token}`
  const isSecure = url.protocol === 'https:'
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const send = isSecure ? requestHttps : requestHttp
  const headers = {
    'content-type': 'application/json',
    'accept-encoding': 'gzip',
    ...(authorization !== null && { authorization }),
  }

  const attempt = (body: string, signal: AbortSignal | undefined, isRetry: boolean): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      }
      const request = send(url, { ...options, ...(signal && { signal }) }, (response) => {
        readAnswer(response, maxBytes, signal).then(resolve, (error: unknown) => {
          request.destroy()
          reject(signal?.aborted ? signal.reason : error)
        })
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed the idle connection just when it was reused, so it has not seen the request.
        if (request.reusedSocket && error.code === 'ECONNRESET' && !isRetry)
          attempt(body, signal, true).then(resolve, reject)
        else reject(signal?.aborted ? signal.reason : error)
      })
      request.end(body)
    })
  return (body, signal) => attempt(body, signal, false)
}

const NEVER = new AbortController().signal

async function readAnswer(
  response: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal = NEVER,
): Promise<HttpAnswer> {
  const { statusCode = 0, headers } = response
  const coding = headers['content-encoding'] ?? ''
  const bytes =
    coding === ''
      ? await readPlain(response, maxBytes)
      : await readDecoded(response, coding, { maxBytes, idleMs: 2 ** 31 - 1, signal })
  return {
    status: statusCode,
    retryAfter: headers['retry-after'] ?? null,
    text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  }
}

/** Costs a fraction of `readDecoded`: most answers are short and not encoded. */
async function readPlain(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw new AnswerTooLarge(`the answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new TypeError('the RPC URL must begin with http:// or https://')
  return new URL(text)
}

/**
 * Moves user and password from a URL to the equivalent basic authorization header (RFC 7617): `fetch` rejects
 * a URL that contains them, and no error can repeat them then.
 */
function splitCredentials(given: URL): { readonly url: URL; readonly authorization: string | null } {
  const url = new URL(given)
  const { username, password } = url
  if (username === '' && password === '') return { url, authorization: null }
  url.username = ''
  url.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { url, authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}
