/** A faulty process in place of the one that traces images; the image's kind selects the failure. */
process.once('message', (task: { readonly kind: string }) => {
  const hoard: number[][] = []
  if (task.kind === 'gif') for (;;);
  while (task.kind === 'bmp') hoard.push(new Array<number>(100_000).fill(hoard.length))
  if (task.kind === 'webp') process.exit(3)
  const failure = task.kind === 'jpeg' ? `sees ${Object.keys(process.env)}` : `no work on ${task.kind}`
  process.send?.({ failure }, () => process.disconnect())
})
