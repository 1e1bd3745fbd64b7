import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { providedValue, withOtherNames } from './other-names.ts'

const text = z.string().optional()
const input = withOtherNames(
  z.object({ lat: text, latitude: text, lon: text, lng: text }),
  ['lat', 'latitude'],
  ['lon', 'lng'],
)

test('exactly one name of each field is accepted', () => {
  assert.equal(input.safeParse({ lat: '1', lng: '2' }).success, true)
  const issues = input.safeParse({ lat: '1', latitude: '1' }).error?.issues ?? []
  assert.deepEqual(
    issues.map(({ path, message }) => `${path.join('.')} ${message}`),
    ['lat is specified twice: lat and latitude', 'lon is required'],
  )
})

test('the JSON Schema requires exactly one name too', () => {
  const schema = z.toJSONSchema(input, { io: 'input' })
  assert.deepEqual(schema.allOf, [
    { oneOf: [{ required: ['lat'] }, { required: ['latitude'] }] },
    { oneOf: [{ required: ['lon'] }, { required: ['lng'] }] },
  ])
})

test('a value is found under any of its names', () => {
  assert.equal(providedValue({ lng: '2' }, ['lon', 'lng']), '2')
  assert.throws(() => providedValue({}, ['lon', 'lng']), TypeError)
})
