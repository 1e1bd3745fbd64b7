import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import {
  bazaarResourceServerExtension,
  declareDiscoveryExtension,
  validateDiscoveryExtension,
} from '@x402/extensions/bazaar'
import { type DeclaredArguments, declareHttp } from './declare-http.ts'

const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))
/** A schema that any values satisfy, with some of the members that schemas have. */
const argumentsOf = fc.record({
  values,
  schema: fc.record(
    {
      type: fc.constant('object'),
      description: fc.string(),
      properties: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.constant({})),
      additionalProperties: fc.constant(true),
    },
    { requiredKeys: [] },
  ),
})

/** The same by the package, whose server adds the method. */
function declareByPackage({
  method,
  bodyType,
  input,
  path,
  example,
}: {
  readonly method: string
  readonly bodyType?: 'json' | 'form-data' | undefined
  readonly input: DeclaredArguments
  readonly path?: DeclaredArguments | undefined
  readonly example: object
}) {
  const { bazaar } = declareDiscoveryExtension({
    input: input.values,
    inputSchema: input.schema,
    ...(path && { pathParams: path.values, pathParamsSchema: path.schema }),
    output: { example },
    ...(bodyType && { bodyType }),
  } as Parameters<typeof declareDiscoveryExtension>[0])
  const request = { method, adapter: { getPath: () => '/' } }
  return bazaarResourceServerExtension.enrichDeclaration?.(bazaar, request) as typeof bazaar
}

test('a declaration is the one of the package, letter for letter', () => {
  fc.assert(
    fc.property(
      fc.record({
        kind: fc.constantFrom(
          ['GET', undefined] as const,
          ['DELETE', undefined] as const,
          ['POST', 'json'] as const,
          ['PUT', 'form-data'] as const,
          ['PATCH', 'json'] as const,
        ),
        input: argumentsOf,
        path: fc.option(argumentsOf, { nil: undefined }),
        example: values,
      }),
      ({ kind: [method, bodyType], input, path, example }) => {
        const output = { type: 'json', example }
        const own = declareHttp({
          method,
          input,
          output,
          ...(bodyType && { bodyType }),
          ...(path && { path }),
        })
        const theirs = declareByPackage({ method, bodyType, input, path, example })
        assert.equal(JSON.stringify(own), JSON.stringify(theirs))
      },
    ),
  )
})

test('the validator of the package accepts a declaration, also one without an example of the output', () => {
  for (const bodyType of [undefined, 'json', 'form-data'] as const)
    for (const output of [{ type: 'json', example: { sum: 3 } }, { type: 'binary' }]) {
      const declared = declareHttp({
        method: bodyType ? 'POST' : 'GET',
        ...(bodyType && { bodyType }),
        input: { values: { a: 1 }, schema: { properties: { a: { type: 'integer' } }, required: ['a'] } },
        path: { values: { id: 'x' }, schema: { properties: { id: { type: 'string' } } } },
        output,
      })
      const validated = validateDiscoveryExtension(
        declared as unknown as Parameters<typeof validateDiscoveryExtension>[0],
      )
      assert.deepEqual(validated, { valid: true })
    }
})
