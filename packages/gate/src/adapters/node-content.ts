import type { IncomingMessage } from 'node:http'
import type { RequestContent } from '../routes/route-exchange.ts'

/** A message with what parsers before this one have set. */
export type ParsedMessage = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown }

/** The body of a message, which is put back for parsers that come after; null if it is longer. */
export async function readNodeContent(
  message: ParsedMessage,
  maxBytes: number,
): Promise<RequestContent | null> {
  const { rawBody, body } = message
  if (rawBody instanceof Uint8Array) return rawBody.byteLength > maxBytes ? null : { bytes: rawBody }
  if (body instanceof Uint8Array) return body.byteLength > maxBytes ? null : { bytes: body }
  if (message.readableEnded || message.complete) {
    if (body !== undefined || message.readableEnded) return { value: body ?? null }
  }
  const { 'content-length': length, 'transfer-encoding': coding } = message.headers
  if (coding === undefined && (length === undefined || length === '0')) return { bytes: new Uint8Array() }
  if (Number(length ?? 0) > maxBytes) return null
  const bytes = await readAndPutBack(message, maxBytes)
  return bytes && { bytes }
}

/**
 * Reads all of a message, and puts it back before its end is emitted: `unshift` is possible until then.
 * @throws Error when the client disconnects before the end
 */
function readAndPutBack(message: IncomingMessage, maxBytes: number): Promise<Uint8Array | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>()
  const chunks: Uint8Array[] = []
  let bytes = 0
  const take = () => {
    for (let chunk = message.read(); chunk !== null; chunk = message.read()) {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes > maxBytes) return resolve(null)
    }
    if (!message.complete) return
    const whole = Buffer.concat(chunks)
    message.off('readable', take)
    if (whole.byteLength > 0) message.unshift(whole)
    resolve(whole)
  }
  const cut = () => reject(new Error('the body was cut off'))
  message.on('readable', take).once('close', cut).once('error', cut)
  return promise.finally(() => message.off('readable', take).off('close', cut).off('error', cut))
}
