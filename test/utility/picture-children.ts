/** A process that goes wrong in the place of one that works on a picture; the picture's kind says how. */
process.once('message', (task: { readonly kind: string }) => {
  const hoard: number[][] = []
  if (task.kind === 'gif') for (;;);
  while (task.kind === 'bmp') hoard.push(new Array<number>(100_000).fill(hoard.length))
  if (task.kind === 'webp') process.exit(3)
  const failure = task.kind === 'jpeg' ? `sees ${Object.keys(process.env)}` : `no work on ${task.kind}`
  process.send?.({ failure }, () => process.disconnect())
})
