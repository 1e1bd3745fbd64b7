import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startOwnChromium } from '@tollbook/testing/browser/own-chromium'
import { FIRST_MINUTE, testFirstMinute } from '../end-to-end/first-minute.ts'
import { installProduct } from '../end-to-end/install-product.ts'
import { startProduct } from '../end-to-end/product.ts'

const browser = await startOwnChromium()
if (typeof browser !== 'string') await browser.close()

const folder = await installProduct('production')
after(() => rm(folder, { recursive: true }))

test('an install without development dependencies has no compiler of contracts', () => {
  assert.ok(!existsSync(join(folder, 'node_modules/solc')))
})

testFirstMinute(
  () => startProduct(FIRST_MINUTE, [process.execPath, join(folder, 'src/main.ts')]),
  typeof browser === 'string' && browser,
)
