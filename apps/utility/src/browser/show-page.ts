import { setTimeout as wait } from 'node:timers/promises'
import { createRequestAnswers, type PausedRequest, type RequestAnswers } from './answer-requests.ts'
import {
  RenderError,
  type RenderedDocument,
  type RenderTask,
  type Resource,
  type ResourceRequest,
} from './browser-task.ts'
import { type CdpConnection, type CdpEvent, connectCdp } from './cdp-connection.ts'
import { DEAD_PROXY, FIRST_SCRIPT } from './page-walls.ts'

const LOOK_EVERY_MS = 50
const WAIT_FOR_EVERY_MS = 200
/** The window in which a page is drawn, CSS pixels. */
const VIEW = { width: 1_280, height: 800, deviceScaleFactor: 1, mobile: false }
/** Limits of a screenshot: CSS pixels, and base64 characters. */
const MAX_DRAWN = { width: 2_000, height: 10_000, characters: 4_000_000 }

/** Time for the browser to close a page that was read, ms. */
const CLOSE_MS = 1_000

type Options = {
  /** Fetches what a page requests; returns null if that fails. */
  readonly fetch: (request: ResourceRequest) => Promise<Resource | null>
  /** Called if the browser has closed the page, so that it can render another. */
  readonly onClosed: () => void
}

/**
 * Renders a page in an isolated context, and returns its document once its scripts have settled.
 * @throws RenderError if the browser is unreachable, or the page cannot be rendered.
 */
export async function showPage(task: RenderTask, { fetch, onClosed }: Options): Promise<RenderedDocument> {
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  // May be rejected before anything awaits it.
  failed.catch(() => {})
  let listen = (_: CdpEvent) => {}
  const connection = await connectCdp(task.browserUrl, {
    timeoutMs: task.limits.connectMs,
    onEvent: (event) => listen(event),
    onGone: fail,
  })
  const tab = await openTab(connection).catch((error) => {
    connection.close()
    throw error
  })
  try {
    const progress = { hasParsed: false, hasLoaded: false, isLoading: false }
    const send = <Result>(method: string, params: object) =>
      connection.send<Result>(method, params, tab.sessionId)
    const answers = createRequestAnswers({
      ...task,
      isDrawn: task.options.screenshot !== undefined,
      frameId: tab.targetId,
      fetch,
      send,
    })
    listen = ({ method, params, sessionId }) => {
      if (sessionId !== tab.sessionId) return
      const isOfPage = params.frameId === tab.targetId
      if (method === 'Page.domContentEventFired') progress.hasParsed = true
      else if (method === 'Page.loadEventFired') progress.hasLoaded = true
      else if (method === 'Page.frameStartedLoading' && isOfPage) progress.isLoading = true
      else if (method === 'Page.frameStoppedLoading' && isOfPage) progress.isLoading = false
      // The type that the protocol defines for this event.
      else if (method === 'Fetch.requestPaused') answers.answer(params as PausedRequest).catch(fail)
      else if (method === 'Page.javascriptDialogOpening')
        send('Page.handleJavaScriptDialog', { accept: false }).catch(() => {})
      else if (method === 'Inspector.targetCrashed')
        fail(new RenderError({ of: 'page', detail: 'it crashes its process' }))
    }
    await raiseWalls(send)
    if (task.options.screenshot) {
      await send('Emulation.setDeviceMetricsOverride', VIEW)
      await send('Emulation.setScrollbarsHidden', { hidden: true })
    }
    send('Page.navigate', { url: task.page.url }).catch(fail)
    const read = async () => {
      const { waitFor, screenshot } = task.options
      if (waitFor !== undefined) await waitForElement(send, { ...task.limits, ...tab, selector: waitFor })
      await settle(task.limits, answers, progress)
      const document = await readDocument(send, { ...task.limits, ...tab })
      return screenshot ? { ...document, screenshot: await draw(send, screenshot) } : document
    }
    return await Promise.race([read(), failed])
  } finally {
    const { browserContextId } = tab
    const closed = connection.send('Target.disposeBrowserContext', { browserContextId })
    await Promise.race([closed.then(onClosed, () => {}), wait(CLOSE_MS, undefined, { ref: false })])
    connection.close()
  }
}

type Tab = { readonly browserContextId: string; readonly targetId: string; readonly sessionId: string }
type Send = <Result>(method: string, params: object) => Promise<Result>

/** A tab in a context that shares nothing with others and is disposed with the connection. */
async function openTab(connection: CdpConnection): Promise<Tab> {
  const { browserContextId } = await connection.send<{ browserContextId: string }>(
    'Target.createBrowserContext',
    { disposeOnDetach: true, ...DEAD_PROXY },
  )
  // All permissions that are not granted are denied.
  await connection.send('Browser.grantPermissions', { permissions: [], browserContextId })
  await connection.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId })
  const { targetId } = await connection.send<{ targetId: string }>('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
  })
  const { sessionId } = await connection.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  })
  return { browserContextId, targetId, sessionId }
}

async function raiseWalls(send: Send): Promise<void> {
  await send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
  await send('Page.enable', {})
  await send('Inspector.enable', {})
  // Targets that a page opens wait for a debugger that never attaches.
  await send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true })
  await send('Page.addScriptToEvaluateOnNewDocument', { source: FIRST_SCRIPT })
  await send('Network.setBypassServiceWorker', { bypass: true })
  // A tab in the background does not paint and is slow.
  await send('Emulation.setFocusEmulationEnabled', { enabled: true })
}

type Progress = {
  readonly hasParsed: boolean
  readonly hasLoaded: boolean
  /** Also if the page navigates to another one. */
  readonly isLoading: boolean
}

/** A paused frame would block the load event of its page. */
const QUIET_UNLOADED_MS = 2_000

/** Waits until a page has loaded and has no pending requests, or until its time is up. */
async function settle(
  { settleMs, quietMs }: RenderTask['limits'],
  answers: RequestAnswers,
  progress: Progress,
): Promise<void> {
  const endMs = performance.now() + settleMs
  while (performance.now() < endMs) {
    const idleSince = answers.idleSince() ?? Number.POSITIVE_INFINITY
    const idleMs = performance.now() - idleSince
    if (progress.hasLoaded && !progress.isLoading && idleMs >= quietMs) return
    if (progress.hasParsed && idleMs >= QUIET_UNLOADED_MS) return
    await wait(LOOK_EVERY_MS)
  }
}

/** Runs isolated from the page's own scripts, which may have replaced `String` and `document`. */
const readScript = (maxCharacters: number) => `(() => {
  const html = document.documentElement?.outerHTML ?? ''
  return html.length > ${maxCharacters} ? null : { url: location.href, html: '<!doctype html>' + html }
})()`

type Evaluated<Value> = { readonly result: { readonly value?: Value } }

/** Evaluates an expression isolated from the page's scripts. */
async function evaluate<Value>(send: Send, { targetId }: Tab, expression: string) {
  const { executionContextId: contextId } = await send<{ executionContextId: number }>(
    'Page.createIsolatedWorld',
    { frameId: targetId, worldName: 'reader' },
  )
  return send<Evaluated<Value>>('Runtime.evaluate', { expression, contextId, returnByValue: true })
}

/** @throws RenderError if no element matches in time. */
async function waitForElement(
  send: Send,
  { settleMs, selector, ...tab }: RenderTask['limits'] & Tab & { readonly selector: string },
): Promise<void> {
  const endMs = performance.now() + settleMs
  const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`
  while (performance.now() < endMs) {
    // A page that navigates destroys the world of its previous document.
    const found = await evaluate<boolean>(send, tab, expression).catch(() => null)
    if (found?.result.value === true) return
    await wait(WAIT_FOR_EVERY_MS)
  }
  throw new RenderError({ of: 'page', detail: `no element matches wait_for within ${settleMs / 1_000} s` })
}

async function draw(send: Send, area: 'view' | 'page'): Promise<string> {
  const { cssContentSize } = await send<{ cssContentSize: { width: number; height: number } }>(
    'Page.getLayoutMetrics',
    {},
  )
  const size =
    area === 'view'
      ? VIEW
      : {
          width: Math.min(Math.max(cssContentSize.width, VIEW.width), MAX_DRAWN.width),
          height: Math.min(Math.max(cssContentSize.height, VIEW.height), MAX_DRAWN.height),
        }
  const { data } = await send<{ data: string }>('Page.captureScreenshot', {
    format: 'png',
    captureBeyondViewport: area === 'page',
    clip: { x: 0, y: 0, width: size.width, height: size.height, scale: 1 },
  })
  if (data.length > MAX_DRAWN.characters)
    throw new RenderError({ of: 'page', detail: 'its screenshot becomes too large' })
  return data
}

async function readDocument(
  send: Send,
  { maxResourceBytes, ...tab }: RenderTask['limits'] & Tab,
): Promise<RenderedDocument> {
  const { result } = await evaluate<RenderedDocument | null>(send, tab, readScript(maxResourceBytes))
  if (result.value === null) throw new RenderError({ of: 'page', detail: 'it becomes too large' })
  if (!result.value) throw new RenderError({ of: 'page', detail: 'it cannot be read' })
  if (!/^https?:/.test(result.value.url)) throw new RenderError({ of: 'page', detail: 'it does not load' })
  return result.value
}
