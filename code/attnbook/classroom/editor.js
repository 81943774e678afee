// The editor of a cell: CodeMirror with what a short Python cell needs. esbuild makes it one script (tools/pages/classroom.py).
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

const failing = StateEffect.define();
const marked = StateField.define({
  create: () => Decoration.none,
  update(lines, change) {
    const effect = change.effects.find((each) => each.is(failing));
    if (!effect) return change.docChanged ? Decoration.none : lines;
    const line = effect.value;
    if (!line || line > change.state.doc.lines) return Decoration.none;
    const wrong = Decoration.line({ class: "classroom-failing" });
    return Decoration.set([wrong.range(change.state.doc.line(line).from)]);
  },
  provide: (field) => EditorView.decorations.from(field),
});

// parent: an empty element. label: for screen readers. told(text): after each change. run(): on Ctrl+Enter.
function make(parent, text, { label, help, told, run }) {
  const enter = ["Mod-Enter", "Ctrl-Enter", "Shift-Enter"].map((key) => ({ key, run: () => (run(), true) }));
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([...enter, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        indentUnit.of("    "),
        python(),
        syntaxHighlighting(classHighlighter),
        marked,
        EditorView.contentAttributes.of({ "aria-label": label, "aria-description": help, tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && told(update.state.doc.toString())),
      ],
    }),
  });
  return {
    get: () => view.state.doc.toString(),
    set: (now) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now } }),
    focus: () => view.focus(),
    mark: (line) => {
      view.dispatch({ effects: failing.of(line) });
      view.scrollDOM.scrollLeft = 0; // typing may have moved the lines' beginnings out of sight
    },
  };
}

globalThis.attnbookEditor = { make };
