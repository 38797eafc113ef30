import { useMemo, useState } from 'react';
import { Button, SafeAreaView, Text, TextInput } from 'react-native';
import { createAsk } from './svc';

export function App() {
  const [question, setQuestion] = useState('');
  const [answer, setAnswer] = useState('');
  const ask = useMemo(() => createAsk(setAnswer), []);
  const send = async () => setAnswer(await ask(question));

  return (
    <SafeAreaView style={{ flex: 1, margin: 24, gap: 12 }}>
      <TextInput placeholder="Ask something" value={question} onChangeText={setQuestion} />
      <Button title="Send" onPress={send} disabled={question === ''} />
      <Text>{answer}</Text>
    </SafeAreaView>
  );
}
