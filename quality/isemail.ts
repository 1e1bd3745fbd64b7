import { join } from 'node:path'
import { readIsemailSuite } from '@tollbook/testing/utility/isemail-suite'
import { parseAddress } from '@tollbook/utility/engines/email/parse-address'
import { printFigure, type Suite } from './suite.ts'

/** Addresses of every form, each with the diagnosis that the standards imply. */
export const isemail: Suite = {
  name: 'isemail',
  summary: 'diagnoses of 164 e-mail addresses',
  async run({ folder }) {
    const cases = readIsemailSuite(join(folder, 'isemail', 'test', 'tests.xml'))
    let right = 0
    for (const { id, address, diagnosis } of cases) {
      const found = parseAddress(address).diagnosis
      if (found === diagnosis) right += 1
      else process.stderr.write(`isemail ${id}: ${found} instead of ${diagnosis}\n`)
    }
    printFigure({ suite: 'isemail', figure: 'addresses diagnosed alike', value: right, of: cases.length })
  },
}
