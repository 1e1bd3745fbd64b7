import { FORMATS, LEXICONS, type Schema } from '@tollbook/testing/social/lexicons'

/**
 * The queries of the lexicons as an OpenAPI 3.0 document, for mock servers.
 * @param answers an answer of each offered query, by its method.
 */
export function toOpenApi(answers: ReadonlyMap<string, unknown>) {
  const paths = [...answers].map(([method, answer]) => {
    const { parameters } = LEXICONS.get(method).main
    const described = Object.entries<Schema>(parameters.properties).map(([name, schema]) => ({
      name,
      in: 'query',
      style: 'form',
      explode: true,
      schema: toSchema(schema),
      required: parameters.required?.includes(name) ?? false,
    }))
    const content = { 'application/json': { schema: { type: 'object' }, example: answer } }
    return [
      `/xrpc/${method}`,
      { get: { parameters: described, responses: { 200: { description: 'OK', content } } } },
    ]
  })
  return { openapi: '3.0.3', info: { title: 'AppView', version: '1' }, paths: Object.fromEntries(paths) }
}

/**
 * A parameter's type; parameters are strings, integers, booleans and lists of them (specification, "params").
 */
function toSchema({ type, items, format, maxLength, minimum, maximum }: Schema): Schema {
  if (type === 'array') return { type, items: toSchema(items), ...(maxLength && { maxItems: maxLength }) }
  const pattern = FORMATS[format]?.source
  return {
    type,
    ...(pattern && { pattern }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  }
}
