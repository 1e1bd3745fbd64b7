/**
 * Runs something with a signal that aborts after so long (`TimeoutError`). Unlike `AbortSignal.timeout`, nothing
 * is left of it afterwards: that would stay in memory to the end of its time and then be aborted all the same,
 * which took a few per cent of a paid call.
 */
export async function withDeadline<T>(
  longestMs: number,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController()
  const expire = () => abort.abort(new DOMException('it took too long', 'TimeoutError'))
  const timer = setTimeout(expire, longestMs)
  timer.unref()
  try {
    return await act(abort.signal)
  } finally {
    clearTimeout(timer)
  }
}
