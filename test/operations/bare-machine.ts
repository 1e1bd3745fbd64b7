import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { FIRST_MINUTE, testFirstMinute } from '../end-to-end/first-minute.ts'
import { installProduct } from '../end-to-end/install-product.ts'
import { type Product, startProduct } from '../end-to-end/product.ts'

const run = promisify(execFile)
const lacking = ['debootstrap', 'unshare'].filter((program) => spawnSync(program, ['--version']).error)
const skip = process.getuid?.() !== 0 ? 'needs root' : lacking.length > 0 && `needs ${lacking.join(' and ')}`

/**
 * Runs the rest of its words on the root that is the first. The mounts are those of this process alone. It is no
 * chroot, in which Linux allows no user namespace, and so no sandbox of Chromium (user_namespaces(7), EPERM).
 */
const ON_ROOT = `mount --bind "$0" "$0" && mount --bind "$1" "$0/tmp" && mount -t proc proc "$0/proc" &&
  mount --rbind /dev "$0/dev" && cd "$0" && shift && pivot_root . mnt &&
  exec chroot . sh -c 'umount -l /mnt && exec "$@"' sh "$@"`

/** Starts an install without development dependencies on Debian's smallest root. */
async function startOnDebian(): Promise<Product> {
  folder = await installProduct('bare')
  const root = join(folder, 'debian')
  await run('debootstrap', ['--variant=minbase', 'bookworm', root])
  const node = join(folder, 'node_modules/.bin/node')
  const bare = [
    'unshare',
    '--mount',
    'sh',
    '-c',
    ON_ROOT,
    root,
    tmpdir(),
    'env',
    'PATH=/usr/bin:/bin',
  ] as const
  product = await startProduct(FIRST_MINUTE, [...bare, node, join(folder, 'src/main.ts')])
  return product
}

let folder: string | undefined
let product: Product

if (!skip) {
  testFirstMinute(startOnDebian, false)
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, maxRetries: 10 })
  })
}

test('a machine without any further Debian package sells rendered pages, OCR and speech', { skip }, () => {
  const sold = ['rendering', 'OCR', 'speech'].map((name) =>
    product.table.find((line) => line.startsWith(`${name} `)),
  )
  assert.match(sold.join('\n'), /^rendering +sold: .*chromium.*\nOCR +sold: .*\nspeech +sold: flite$/)
})
