import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'

/** Posts a body and returns the body of the answer, whatever its status. */
export type HttpPost = (body: string, timeoutMs: number) => Promise<string>

/**
 * Creates a function that posts to one URL over keep-alive connections. Uses `node:http`, because fetch costs
 * three times as much for each of the small requests that a payment consists of; it follows no redirect.
 */
export function createHttpPost(url: URL, headers: Readonly<Record<string, string>>): HttpPost {
  const isSecure = url.protocol === 'https:'
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const options: RequestOptions = { method: 'POST', agent, headers }
  const send = isSecure ? requestHttps : requestHttp

  const attempt = (body: string, timeoutMs: number, isRetry: boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const length = Buffer.byteLength(body)
      const request = send(
        url,
        {
          ...options,
          headers: { ...headers, 'content-length': length },
          signal: AbortSignal.timeout(timeoutMs),
        },
        (response) => {
          text(response).then(resolve, reject)
        },
      )
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed the idle connection just when it was reused, so it has not seen the request.
        if (request.reusedSocket && error.code === 'ECONNRESET' && !isRetry)
          attempt(body, timeoutMs, true).then(resolve, reject)
        else reject(error)
      })
      request.end(body)
    })
  return (body, timeoutMs) => attempt(body, timeoutMs, false)
}
