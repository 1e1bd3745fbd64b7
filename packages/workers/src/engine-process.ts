import { type ChildProcess, fork } from 'node:child_process'
import { Socket } from 'node:net'
import { leaving } from '@tollbook/flow/leaving'
import type { FromEngine, ToEngine } from './engine-messages.ts'
import { kill, toSandboxed } from './sandbox.ts'

/** The engine cannot be loaded, failed, or has exited; the message is for the operator and the log. */
export class EngineFailed extends Error {
  override readonly name: string = 'EngineFailed'
}

/** The process of the engine has exited, by itself or killed. */
export class EngineExited extends EngineFailed {
  override readonly name = 'EngineExited'
  readonly isOutOfMemory: boolean

  constructor(exit: Exit, complaint: string) {
    super(`its process ended with ${exit.signal ?? exit.code}${complaint && `: ${complaint}`}`)
    this.isOutOfMemory = isOutOfMemory(exit)
  }
}

type Exit = { readonly code: number | null; readonly signal: string | null }

/** V8 aborts if its heap is full, and the kernel kills a process if memory is short. */
const OUT_OF_MEMORY = ['SIGABRT', 'SIGKILL']
/** How a sandbox reports these signals: 128 and their numbers. */
const OUT_OF_MEMORY_CODES = [134, 137]

/** Whether a process that nobody killed ended for want of memory. */
function isOutOfMemory({ code, signal }: Exit): boolean {
  return OUT_OF_MEMORY.includes(signal ?? '') || OUT_OF_MEMORY_CODES.includes(code ?? 0)
}

/** The engine rejects this order; `value` is its reason. */
export class EngineRefused extends Error {
  override readonly name = 'EngineRefused'
  readonly refusal: unknown
  constructor(refusal: unknown) {
    super('the engine rejected this order')
    this.refusal = refusal
  }
}

type Work = {
  readonly signal: AbortSignal
  readonly onEvent?: (event: unknown) => void
  /** Returns what the engine requests; if it throws, the order fails with its error. */
  readonly onRequest?: (value: unknown) => Promise<unknown>
}

/** A native engine in a process of its own: if it crashes, the server continues. */
export type EngineProcess = {
  /**
   * Starts the process if it is not running, and returns the engine's description once it is loaded.
   * @throws EngineFailed if it cannot be loaded; the same error is thrown for a while before the next
   * attempt.
   */
  load(): Promise<unknown>
  /**
   * @throws EngineRefused, EngineFailed; the signal's reason, once the engine has stopped. An engine that
   * does not stop is killed.
   */
  run(order: unknown, work: Work): Promise<unknown>
  /** Kills the process; it restarts when it is needed. */
  close(): void
}

export type EngineOptions = {
  /** The module that the process runs; it calls `serveEngine`. */
  readonly module: URL
  /** For the engine, plain data. */
  readonly settings: unknown
  /** Whether it parses strangers' files, and needs none of its own, see `toSandboxed`; default false. */
  readonly isSandboxed?: boolean
  /** Its V8 heap, MB; a process that needs more ends. Default: as V8 chooses. */
  readonly heapMb?: number
  /** How long a failed start is cached, ms; default 30,000. */
  readonly retryMs?: number
  /** How long an engine may take to stop, ms; default 5,000. */
  readonly stopMs?: number
}

type Call = {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly onEvent: Work['onEvent']
  readonly onRequest: Work['onRequest']
}

type Running = {
  readonly child: ChildProcess
  readonly loaded: Promise<unknown>
  readonly calls: Map<number, Call>
}

const DEFAULTS = { retryMs: 30_000, stopMs: 5_000, isSandboxed: false }
const FLAGS = ['--disable-warning=ExperimentalWarning']
/** How much of the end of what a process wrote to its standard error is kept for the log, in characters. */
const MAX_COMPLAINT = 500

/** Creates an engine; no process runs until it is needed. */
export function createEngineProcess(options: EngineOptions): EngineProcess {
  const { module, settings, retryMs, stopMs, isSandboxed, heapMb } = { ...DEFAULTS, ...options }
  const flags = heapMb === undefined ? FLAGS : [...FLAGS, `--max-old-space-size=${heapMb}`]
  let running: Running | undefined
  let failed: { readonly error: Error; readonly untilMs: number } | undefined
  let lastId = 0

  function start(): Running {
    const child = fork(module, {
      // An engine needs no secrets or settings of this process.
      ...(isSandboxed ? toSandboxed(module, flags) : { env: {}, execArgv: [...flags] }),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const calls = new Map<number, Call>()
    const { promise: loaded, resolve, reject } = Promise.withResolvers<unknown>()
    const end = (error: EngineFailed) => {
      if (running?.child === child) running = undefined
      kill(child)
      reject(error)
      for (const call of calls.values()) call.reject(error)
      calls.clear()
    }
    child.on('message', (message: FromEngine) => {
      if (message.kind === 'loaded') resolve(message.about)
      else if (message.kind === 'unloadable') end(new EngineFailed(message.reason))
      else if (message.kind === 'request') respond(child, calls.get(message.id), message)
      else settle(calls, message)
      keepAlive(child, calls.size > 0)
    })
    child.on('error', (error) => end(new EngineFailed('its process cannot be started', { cause: error })))
    const complaint = listen(child)
    child.on('close', (code, signal) => end(new EngineExited({ code, signal }, complaint())))
    loaded.catch((error: Error) => {
      failed = { error, untilMs: performance.now() + retryMs }
    })
    tell(child, { kind: 'load', settings })
    return { child, loaded, calls }
  }

  async function findRunning(): Promise<Running> {
    if (!running && failed && performance.now() < failed.untilMs) throw failed.error
    running ??= start()
    const found = running
    await found.loaded
    return found
  }

  return {
    load: async () => (await findRunning()).loaded,
    async run(order, { signal, onEvent, onRequest }) {
      const { child, calls } = await leaving(findRunning(), signal)
      lastId += 1
      const id = lastId
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      calls.set(id, { resolve, reject, onEvent, onRequest })
      keepAlive(child, true)
      let timer: NodeJS.Timeout | undefined
      const stop = () => {
        tell(child, { kind: 'stop', id })
        timer = setTimeout(() => kill(child), stopMs)
      }
      signal.addEventListener('abort', stop, { once: true })
      try {
        // Throws if the order cannot be copied.
        tell(child, { kind: 'run', id, order })
        return await promise
      } catch (error) {
        signal.throwIfAborted()
        throw error
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        calls.delete(id)
        keepAlive(child, calls.size > 0)
      }
    },
    close() {
      const child = running?.child
      // The next order starts another one at once.
      running = undefined
      if (child) kill(child)
    },
  }
}

type EngineRequest = Extract<FromEngine, { readonly kind: 'request' }>
type OfCall = Exclude<Extract<FromEngine, { readonly id: number }>, EngineRequest>

function respond(child: ChildProcess, call: Call | undefined, { id, request, value }: EngineRequest): void {
  Promise.resolve(call?.onRequest?.(value))
    .then((response) => tell(child, { kind: 'response', request, value: response }))
    .catch((error: Error) => {
      call?.reject(error)
      tell(child, { kind: 'stop', id })
    })
}

function settle(calls: Map<number, Call>, message: OfCall): void {
  const call = calls.get(message.id)
  if (message.kind === 'event') {
    call?.onEvent?.(message.event)
    return
  }
  calls.delete(message.id)
  if (message.kind === 'result') call?.resolve(message.result)
  else if (message.kind === 'refusal') call?.reject(new EngineRefused(message.refusal))
  else call?.reject(new EngineFailed(message.reason))
}

function tell(child: ChildProcess, message: ToEngine): void {
  child.send(message, (error) => {
    // If the process has already ended, its exit event reports that.
    if (error) kill(child)
  })
}

/** Reads what the process writes to its standard error; the result returns the end of it. */
function listen({ stderr }: ChildProcess): () => string {
  let said = ''
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-MAX_COMPLAINT)
  })
  if (stderr instanceof Socket) stderr.unref()
  return () => said.trim()
}

/** An idle engine does not keep this process alive. */
function keepAlive(child: ChildProcess, isBusy: boolean): void {
  if (isBusy) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}
