import { RenderError } from '../browser/browser-task.ts'
import { connectCdp } from '../browser/cdp-connection.ts'

const TIMEOUT_MS = 10_000

/** Such as `HeadlessChrome/131.0.6778.33`. @throws RenderError */
export async function readProduct(url: string): Promise<string> {
  const gone = Promise.withResolvers<never>()
  gone.promise.catch(() => {})
  const connection = await connectCdp(url, {
    timeoutMs: TIMEOUT_MS,
    onEvent: () => {},
    onGone: gone.reject,
  })
  const late = new RenderError({ of: 'browser', detail: 'the browser did not answer' })
  const timer = setTimeout(() => gone.reject(late), TIMEOUT_MS)
  try {
    // https://chromedevtools.github.io/devtools-protocol/tot/Browser/#method-getVersion
    const requested = connection.send<{ product?: unknown }>('Browser.getVersion', {})
    const { product } = await Promise.race([requested, gone.promise])
    return typeof product === 'string' ? product.slice(0, 100) : 'a browser without a name'
  } finally {
    clearTimeout(timer)
    connection.close()
  }
}
