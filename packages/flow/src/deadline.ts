export type Deadline = {
  /** Aborted with the caller's signal, or after the timeout, with the reason that `toReason` returns. */
  readonly signal: AbortSignal
  readonly isLate: () => boolean
  readonly abort: (reason: unknown) => void
  /** From now on only a timeout of this many ms after the start aborts the signal, not its caller. */
  readonly outliveCaller: (timeoutMs: number) => void
  readonly clear: () => void
}

/**
 * A signal that aborts after the timeout, ms, or with the caller's signal. Unlike `AbortSignal.timeout` and
 * `any`, it leaves nothing behind once cleared: those stay in memory until their timeout and then abort all
 * the same, which took a few per cent of a paid call.
 */
export function startDeadline(
  timeoutMs: number,
  caller?: AbortSignal,
  toReason: (timeoutMs: number) => unknown = toTimeoutError,
): Deadline {
  const controller = new AbortController()
  const startedMs = performance.now()
  let limitMs = timeoutMs
  let isLate = false
  const leave = () => abort(caller?.reason)
  let timer = setTimeout(expire, timeoutMs).unref()
  if (caller?.aborted) leave()
  else caller?.addEventListener('abort', leave, { once: true })

  function expire(): void {
    isLate = true
    abort(toReason(limitMs))
  }

  function abort(reason: unknown): void {
    clear()
    controller.abort(reason)
  }

  function clear(): void {
    clearTimeout(timer)
    caller?.removeEventListener('abort', leave)
  }

  return {
    signal: controller.signal,
    isLate: () => isLate,
    abort,
    outliveCaller(laterMs) {
      caller?.removeEventListener('abort', leave)
      if (laterMs === limitMs || controller.signal.aborted) return
      clearTimeout(timer)
      limitMs = laterMs
      timer = setTimeout(expire, laterMs - (performance.now() - startedMs)).unref()
    },
    clear,
  }
}

function toTimeoutError(): DOMException {
  return new DOMException('it took too long', 'TimeoutError')
}

/** Runs a function with a signal that aborts after the timeout, ms. */
export async function withDeadline<Result>(
  timeoutMs: number,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { signal, clear } = startDeadline(timeoutMs)
  try {
    return await act(signal)
  } finally {
    clear()
  }
}
