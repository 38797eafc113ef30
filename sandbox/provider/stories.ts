import { hashText } from './seeded-random';

const STORIES = [
  `The lighthouse at Hollin Point had two keepers: Marta, who tended the lamp, and a grey cat called Ledger, who tended Marta.

Every evening at six they climbed the ninety-one steps together. Marta counted them aloud and the cat, being exact by nature, checked her. Then the lamp was lit, the glass was wiped, and the two of them looked out to see who was still on the water.

One October night the fog came in so thick that the beam stopped a stone's throw from the wall. Marta rang the bell until her arms ached. Between two strokes she heard an engine, small and uncertain, turning in circles somewhere below.

She could not show the boat the way, but she could tell it. She leaned over the rail and began to sing, slowly, the way one calls children home. The engine paused. It came nearer, paused again, and followed the song around the rocks and into the harbour.

In the morning a basket of mackerel stood at the door, with a note: "For the singer." Ledger considered the basket, then the note, then Marta, and decided that the accounts were in order.`,

  `On the last street before the fields there was a shop that repaired things nobody else would touch: music boxes, umbrellas, the hinges of spectacles, a promise or two.

Its owner, old Tomas, kept every broken piece in a drawer with a label. He was not fast. He would turn an object in the light for a whole afternoon before reaching for a tool, and customers learned to leave things with him and go for a walk.

One spring a girl brought in a clock that ran backwards. "Can you make it right?" she asked. Tomas listened to it for a long time. "It is right," he said. "It is only facing the other way." He opened the case, turned the glass around, and set the hands so that she could read them in a mirror.

She hung it in the hallway. Each morning, while tying her scarf, she saw the hour over her own shoulder, moving gently forward, and each morning she laughed.

Years later, when the shop became hers, she kept the drawers and the labels just as they were. She added a single one of her own. It said: "Not broken. Look again."`,

  `The river ferry carried nine people, four bicycles and a cello on the day the motor stopped in midstream.

It was warm, and nobody was in a great hurry. The ferryman took the cover off the engine, looked inside as one looks into a quarrel between friends, and shook his head. "Ten minutes," he said, which everyone understood to mean an hour.

So the baker's boy opened his paper bag and passed around what was left of the morning's rolls. A woman with a sketchbook drew the far bank, and then, because they sat so still, the passengers. The cellist was asked, refused, was asked again, and finally tuned her strings to the hum of the dragonflies.

She played something slow. The current turned the boat as it drifted, so that each of them was shown, in turn, the village, the willows, the bridge and the long green hill. By the time the motor coughed and caught, they had gone around four times, and the ferryman shut it off once more so that the piece could end.

When they landed, people who had never spoken before wished each other a good evening by name.`,

  `High in the observatory, the night assistant Ines had one duty that was not in the handbook: she answered the letters that children wrote to the stars.

Most were easy. Yes, it is cold up there. No, they do not mind being counted. But in January a letter came from a boy in the valley who asked why the smallest star in the Hunter's belt had been missing for three nights.

Ines checked the plates. The star was there, patient as ever. She checked the charts, the weather, the lenses. Then she put on her coat, took the early bus down into the valley and found the boy's house, a narrow one beneath a very tall pine.

They waited together on his step until dark. The Hunter rose over the roofs, and there it was: two stars, and where the third should have been, the tip of the pine, grown one summer taller.

"It isn't lost," said Ines. "Move one step to the left." He did. The star came out from behind its branch, bright and a little smug.

He has written every month since then, and always signs the same way: one step to the left.`,
] as const;

/** The same prompt always selects the same story. */
export function chooseStory(prompt: string): string {
  return STORIES[hashText(prompt) % STORIES.length] ?? STORIES[0];
}
