/** Waits for work no longer than its caller does. @throws the signal's reason */
export async function leaving<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = () => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  return await Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', leave))
}
