import { serveEngine } from '@tollbook/workers/serve-engine'

/**
 * A faulty process in place of the one that traces images; the image's kind selects the failure. bubblewrap sets `PWD`,
 * to the root of its sandbox.
 */
serveEngine(async () => ({
  about: null,
  async run(task) {
    const { kind } = task as { readonly kind: string }
    const hoard: number[][] = []
    if (kind === 'gif') for (;;);
    while (kind === 'bmp') hoard.push(new Array<number>(100_000).fill(hoard.length))
    if (kind === 'webp') process.exit(3)
    throw new Error(
      kind === 'jpeg'
        ? `sees ${Object.keys(process.env).filter((name) => name !== 'PWD')}`
        : `no work on ${kind}`,
    )
  },
}))
