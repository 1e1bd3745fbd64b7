import { startOwnChromium } from '@tollbook/testing/browser/own-chromium'
import { FIRST_MINUTE, testFirstMinute } from './first-minute.ts'
import { startProduct } from './product.ts'

const browser = await startOwnChromium()
if (typeof browser !== 'string') await browser.close()

testFirstMinute(() => startProduct(FIRST_MINUTE), typeof browser === 'string' && browser)
