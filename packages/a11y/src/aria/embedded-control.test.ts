import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPageModel } from '../page-model.ts'

/** The name of the element with the id `t`. */
function nameIn(body: string): string {
  const html = `<html lang=en><head><title>Harbour</title></head><body>${body}</body></html>`
  const page = createPageModel({ html, url: 'https://example.com/' })
  const [element] = page.tree.byId.get('t') ?? []
  assert.ok(element, body)
  return page.nameOf(element)
}

const inLabel = (control: string) =>
  `<label><input type=checkbox id=t> Remind me ${control} days before</label>`

// 2C, and 2D: an embedded control gives its value even if it has an `aria-label`.
for (const [behaviour, body, name] of [
  [
    'an embedded text field gives its value',
    inLabel('<input value=4 aria-label=number>'),
    'Remind me 4 days before',
  ],
  ['an embedded empty field gives nothing', inLabel('<input aria-label=number>'), 'Remind me days before'],
  [
    'an embedded text area gives its text',
    inLabel('<textarea aria-label=number>4</textarea>'),
    'Remind me 4 days before',
  ],
  [
    'an embedded editable element gives its text',
    inLabel('<span role=textbox contenteditable aria-label=number>4</span>'),
    'Remind me 4 days before',
  ],
  [
    'an embedded select gives its selected option',
    inLabel('<select aria-label=number><option>2<option selected>4<option>6</select>'),
    'Remind me 4 days before',
  ],
  [
    'an embedded select without a selected option gives the first that is enabled',
    inLabel('<select><option disabled>choose<option>4<option>6</select>'),
    'Remind me 4 days before',
  ],
  [
    'an embedded select of many options gives all that are selected',
    inLabel('<select multiple><option selected>2<option>3<option selected>4</select>'),
    'Remind me 2 4 days before',
  ],
  [
    'an embedded listbox gives its selected option',
    inLabel(
      '<span role=listbox aria-label=number><span role=option>2</span><span role=option aria-selected=true>4</span></span>',
    ),
    'Remind me 4 days before',
  ],
  [
    'an embedded listbox gives the name of its selected option',
    inLabel('<span role=listbox><span role=option aria-selected=true aria-label=four>4</span></span>'),
    'Remind me four days before',
  ],
  [
    'an embedded listbox without a selected option gives nothing',
    inLabel('<span role=listbox aria-label=number><span role=option>2</span></span>'),
    'Remind me days before',
  ],
  [
    'an embedded combobox that is a field gives its value',
    inLabel('<input role=combobox value=4 aria-label=number>'),
    'Remind me 4 days before',
  ],
  [
    'an embedded combobox without a list gives its text',
    inLabel('<span role=combobox tabindex=0 aria-label=number>4</span>'),
    'Remind me 4 days before',
  ],
  [
    'an embedded combobox gives the selected option of its list',
    inLabel(
      '<span role=combobox><input value=7><span role=listbox><i role=option>2</i><i role=option aria-selected=true>4</i></span></span>',
    ),
    'Remind me 4 days before',
  ],
  [
    'an embedded combobox gives the selected option of a list that it owns',
    `${inLabel('<span role=combobox aria-owns=days></span>')}
     <ul role=listbox id=days><li role=option>2<li role=option aria-selected=true>4</ul>`,
    'Remind me 4 days before',
  ],
  [
    'an embedded spin button gives its text before its number',
    inLabel('<span role=spinbutton aria-valuenow=4 aria-valuetext=four aria-label=number>4.0</span>'),
    'Remind me four days before',
  ],
  [
    'an embedded spin button gives its number',
    inLabel('<span role=spinbutton aria-valuenow=4 aria-label=number>4.0</span>'),
    'Remind me 4 days before',
  ],
  [
    'an embedded slider gives its value',
    inLabel('<input type=range value=4 aria-label=number>'),
    'Remind me 4 days before',
  ],
  // https://github.com/w3c/accname/issues/67
  [
    'an embedded menu gives nothing',
    inLabel('<span role=menu><span role=menuitem>4</span></span>'),
    'Remind me days before',
  ],
  [
    'a control that labels itself gives its label, not its value',
    '<input id=t value=4 aria-label=Number aria-labelledby="t of"><span id=of>of days</span>',
    'Number of days',
  ],
  [
    'a field in its own label gives nothing',
    '<label id=t-label>Days <input id=t value=4 title=hint aria-labelledby=t-label></label>',
    'Days',
  ],
] as const)
  test(behaviour, () => assert.equal(nameIn(body), name))
