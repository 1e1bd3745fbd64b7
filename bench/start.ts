import { setTimeout as wait } from 'node:timers/promises'
import { printFigure } from '../measurements/print-figure.ts'
import { startProduct } from '../test/end-to-end/product.ts'
import type { Benchmark } from './benchmark.ts'

/** Time from start to the first answer of the whole product, and from a payment to its report. */
export const start: Benchmark = {
  name: 'start',
  summary: 'seconds from `tollbook start` to ready in an empty folder, and from a payment to its report',
  async run() {
    const product = await startProduct()
    try {
      const { report, utility } = product.addresses
      printFigure({
        bench: 'start',
        figure: 'first start to ready',
        unit: 's',
        value: round(product.readySeconds),
      })
      const words = ['call', `${utility}/api/calc?expr=100!`, '--yes', '--json', '--max', '0.01']
      const { code, stderr } = await product.command(...words)
      const payTo = /to (0x[0-9a-fA-F]{40})/.exec(stderr)?.[1]
      if (code !== 0 || payTo === undefined) throw new Error(`the call was not paid: ${stderr}`)
      const paidMs = performance.now()
      while (!(await fetch(`${report}/merchants/base/${payTo}.json`)).ok) await wait(50)
      const value = round((performance.now() - paidMs) / 1000)
      printFigure({ bench: 'start', figure: 'payment to merchant report', unit: 's', value })
    } finally {
      await product.close()
    }
  },
}

const round = (seconds: number) => Number(seconds.toPrecision(3))
