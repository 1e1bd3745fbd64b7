import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPageModel } from '../page-model.ts'

/** The name of the element with the id `t`. */
function nameIn(body: string, css = ''): string {
  const html = `<html lang=en><head><title>Harbour</title><style>${css}</style></head><body>${body}</body></html>`
  const page = createPageModel({ html, url: 'https://example.com/' })
  const [element] = page.tree.byId.get('t') ?? []
  assert.ok(element, body)
  return page.nameOf(element)
}

// Accessible Name and Description Computation 1.2, step 2F.ii; CSS Generated Content 3.
for (const [behaviour, body, name, css] of [
  [
    '::before and ::after count',
    '<button id=t>Send</button>',
    'Please Send now',
    '#t::before { content: "Please " } #t::after { content: " now" }',
  ],
  [
    'generated text follows without a space',
    '<a id=t href=/>1</a>',
    '(1)',
    'a:before { content: "(" } a:after { content: ")" }',
  ],
  [
    'generated blocks are separated by spaces',
    '<button id=t>Send</button>',
    'Please Send',
    '#t::before { content: "Please"; display: block }',
  ],
  [
    'generated text of children counts',
    '<button id=t><i></i>2</button>',
    'Page 2',
    'i::before { content: "Page " }',
  ],
  [
    'the alternative text of a style sheet counts',
    '<button id=t>Send</button>',
    'New Send',
    '#t::before { content: "★" / "New " }',
  ],
  [
    'an empty alternative text hides generated text',
    '<button id=t>Send</button>',
    'Send',
    '#t::before { content: "★ " / "" }',
  ],
  [
    'attributes in generated text are read',
    '<button id=t data-more="to all">Send</button>',
    'Send to all!',
    '#t::after { content: " " attr(data-more) "!" }',
  ],
  [
    'a missing attribute is empty',
    '<button id=t>Send</button>',
    'Send',
    '#t::after { content: attr(data-more) }',
  ],
  [
    'the fallback of a missing attribute counts',
    '<button id=t>Send</button>',
    'Send now',
    '#t::after { content: attr(data-more, " now") }',
  ],
  [
    'variables in generated text are read',
    '<button id=t>Send</button>',
    'Send now',
    ':root { --x: " now" } #t::after { content: var(--x) }',
  ],
  [
    'escapes in generated text are read',
    '<button id=t>Send</button>',
    'Send §',
    '#t::after { content: " \\A7" }',
  ],
  [
    'pictures have no text',
    '<button id=t>Send</button>',
    'New Send',
    '#t::before { content: url("a(b).png") "New " }',
  ],
  [
    'generated text with counters is left out',
    '<button id=t>Send</button>',
    'Send',
    '#t::before { content: counter(step) ". " }',
  ],
  [
    'characters of icon fonts are no name',
    '<button id=t><i></i></button>',
    '',
    'i::before { content: "\\f002" }',
  ],
  [
    'content: none has no text',
    '<button id=t>Send</button>',
    'Send',
    '#t::before { content: "New " } #t::before { content: none }',
  ],
  [
    'hidden generated text does not count',
    '<button id=t>Send</button>',
    'Send',
    '#t::after { content: "."; visibility: hidden }',
  ],
  [
    'generated text without a box does not count',
    '<button id=t>Send</button>',
    'Send',
    '#t::after { content: "."; display: none }',
  ],
  [
    'the more specific rule for generated text applies',
    '<button id=t class=a>Send</button>',
    'Send!',
    '.a::after { content: "!" } button::after { content: "?" }',
  ],
  [
    'text in another direction is generated',
    '<p dir=rtl><button id=t>אב</button></p>',
    '→אב',
    'button:dir(rtl)::before { content: "→" } button:dir(ltr)::before { content: "←" }',
  ],
  [
    'a generated box without a selector in front of it is in any element',
    '<button id=t>Send</button>',
    'Send.',
    'body ::after { content: "." }',
  ],
  [
    'a label may have generated text only',
    '<label for=t></label><input id=t>',
    'Name',
    'label::after { content: "Name" }',
  ],
] as const)
  test(behaviour, () => assert.equal(nameIn(body, css), name))
