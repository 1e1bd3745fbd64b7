export type Deadline = {
  /** Aborted with the caller's signal, or by a `TimeoutError` when the time is over. */
  readonly signal: AbortSignal
  readonly isLate: () => boolean
  readonly clear: () => void
}

/**
 * A signal that aborts after so long, ms, or with the caller's. Unlike `AbortSignal.timeout` and `any`, nothing is left
 * of it once it is cleared: that would stay in memory to the end of its time and then be aborted all the same, which
 * took a few per cent of a paid call.
 */
export function startDeadline(longestMs: number, left?: AbortSignal): Deadline {
  const abort = new AbortController()
  let isLate = false
  const leave = () => abort.abort(left?.reason)
  if (left?.aborted) leave()
  else left?.addEventListener('abort', leave, { once: true })
  const expire = () => {
    isLate = true
    abort.abort(new DOMException('it took too long', 'TimeoutError'))
  }
  const timer = setTimeout(expire, longestMs)
  timer.unref()
  return {
    signal: abort.signal,
    isLate: () => isLate,
    clear() {
      clearTimeout(timer)
      left?.removeEventListener('abort', leave)
    },
  }
}

/** Runs something with a signal that aborts after so long, ms. */
export async function withDeadline<Result>(
  longestMs: number,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { signal, clear } = startDeadline(longestMs)
  try {
    return await act(signal)
  } finally {
    clear()
  }
}
