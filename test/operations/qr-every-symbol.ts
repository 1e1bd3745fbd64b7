import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  drawMatrix,
  fillVersion,
  LEVELS,
  MODES,
  readByJsqr,
  readByQr,
  readByZxing,
} from '@tollbook/testing/utility/qr-readers'
import { buildQrMatrix } from '@tollbook/utility/endpoints/api/qr/qr-matrix'

/** jsQR 1.4.0 looks for an alignment pattern of version 23 at 74 instead of 78 (ISO/IEC 18004, annex E). */
const misreads = (version: number, ecc: string) => version === 23 && ecc === 'L'

for (const ecc of LEVELS)
  for (const mode of MODES)
    test(`all 40 versions at level ${ecc}, full of ${mode}, decode in two readers`, () => {
      for (let version = 1; version <= 40; version++) {
        const content = fillVersion(version, ecc, mode)
        const matrix = buildQrMatrix(content)
        assert.equal(matrix.version, version)
        const image = drawMatrix(matrix, 2)
        assert.equal(readByZxing(image), content.text, `ZXing, version ${version}`)
        const read = misreads(version, ecc) ? readByQr : readByJsqr
        assert.equal(read(image), content.text, `${read.name}, version ${version}`)
      }
    })
