/**
 * A faulty process in place of the one that traces images; the image's kind selects the failure. bubblewrap sets `PWD`,
 * to the root of its sandbox.
 */
process.once('message', (task: { readonly kind: string }) => {
  const hoard: number[][] = []
  if (task.kind === 'gif') for (;;);
  while (task.kind === 'bmp') hoard.push(new Array<number>(100_000).fill(hoard.length))
  if (task.kind === 'webp') process.exit(3)
  const failure =
    task.kind === 'jpeg'
      ? `sees ${Object.keys(process.env).filter((name) => name !== 'PWD')}`
      : `no work on ${task.kind}`
  process.send?.({ failure }, () => process.disconnect())
})
